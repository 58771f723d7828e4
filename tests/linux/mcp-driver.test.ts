import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { Display } from '@deskhand/driver-linux'
import { within } from '@deskhand/core/driver'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HttpChannel } from '../../packages/deskhand/src/drivers/http-channel.ts'
import { openMcpDriver, type McpDriver } from '../../packages/deskhand/src/drivers/mcp-driver.ts'
import type { Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { BIN } from '../support/cli.ts'
import { describeDesktop, testDesktop } from '../support/desktop.ts'
import { fixture } from '../support/linux.ts'

const COMMAND = [BIN, 'driver', 'linux', '--mcp']

describeDesktop('the Linux driver as an MCP server', () => {
  let sandbox: Sandbox
  let display: Display
  beforeAll(async () => {
    sandbox = await testDesktop({ width: 400, height: 300 })
    display = await Display.open(sandbox.env)
  })
  afterAll(async () => {
    display.close()
    await sandbox.down()
  })

  /** How many keys are down, as the X server says over a connection of the test's own. */
  async function keysDown(): Promise<number> {
    const keymap = await display.ask<Buffer>((reply) => display.client.QueryKeymap(reply))
    return [...keymap].reduce((n, byte) => n + byte.toString(2).replaceAll('0', '').length, 0)
  }

  /** A client that holds two keys; it shares no code with ours. */
  async function holder(args: string[], env: Record<string, string> = {}): Promise<{ client: ChildProcess; server: number }> {
    const client = spawn(process.execPath, [fixture('hold-key-mcp.mjs'), ...args], {
      env: { ...sandbox.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(client.stdout, 'data')) as [Buffer]
    expect(await keysDown()).toBe(2)
    return { client, server: Number(line.toString()) }
  }

  test('lets go of every key when its client is killed, and ends; and when it is killed itself', async () => {
    for (const victim of ['client', 'server'] as const) {
      const { client, server } = await holder([process.execPath, ...COMMAND])
      process.kill(victim === 'client' ? client.pid! : server, 'SIGKILL')
      await expect.poll(keysDown).toBe(0)
      await expect.poll(() => existsSync(`/proc/${server}/exe`)).toBe(false)
      client.kill('SIGKILL')
    }
  })

  test('at an address it serves one client with the token at a time, and lets go when that one is gone', async () => {
    const token = 'a token of the test'
    const server = spawn(process.execPath, [...COMMAND, '--port', '0'], { env: { ...sandbox.env, DESKHAND_DRIVER_TOKEN: token } })
    try {
      const [line] = (await once(server.stdout, 'data')) as [Buffer]
      const { url } = JSON.parse(line.toString()) as { url: string }
      const attempt = (given: string): Promise<McpDriver> => openMcpDriver(new HttpChannel({ url, token: given }), 20_000)
      await expect(attempt('another')).rejects.toMatchObject({ code: 'UNAUTHORIZED' })

      const { client } = await holder([], { HOLD_URL: url, HOLD_TOKEN: token })
      await expect(attempt(token)).rejects.toThrow('409')
      expect(await keysDown()).toBe(2)
      client.kill('SIGKILL')
      await expect.poll(keysDown).toBe(0)

      let next: McpDriver | undefined
      await expect.poll(async () => (next = await attempt(token).catch(() => undefined))?.info.kind).toBe('linux')
      expect((await next!.observe.screens(within(20_000)))[0]?.bounds).toMatchObject({ w: 400, h: 300 })
      await next!.close()
    } finally {
      server.kill('SIGTERM')
      await once(server, 'exit')
    }
  })
})

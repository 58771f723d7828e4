import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { Display, releaseAll } from '@deskhand/driver-linux'
import { within } from '@deskhand/core/driver'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { describeDesktop, testDesktop } from '../support/desktop.ts'
import { fixture, linuxHost } from '../support/linux.ts'

/** What the X server says is down, asked over a connection that has nothing to do with the driver. */
async function down(display: Display): Promise<{ keys: number; buttons: number }> {
  const keymap = await display.ask<Buffer>((reply) => display.client.QueryKeymap(reply))
  const { keyMask } = await display.ask<{ keyMask: number }>((reply) => display.client.QueryPointer(display.root, reply))
  const keys = [...keymap].reduce((n, byte) => n + byte.toString(2).replaceAll('0', '').length, 0)
  return { keys, buttons: (keyMask >> 8) & 0x1f }
}

const NOTHING = { keys: 0, buttons: 0 }
const SECOND = { timeout: 1000, interval: 20 }

describeDesktop('a key or button that is still held', () => {
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

  test('is released within a second of the death of the driver host, by whoever was told of it', async () => {
    const released = new Promise<unknown>((done, fail) => {
      linuxHost(sandbox, () => void releaseAll(sandbox.env).then(done, fail)).then(async (driver) => {
        const lease = await driver.act.take(60_000, within(5000))
        await driver.act.step(lease, { do: 'keys', events: ['Control', 'a'].map((key) => ({ type: 'down', key })) }, {}, within(5000))
        await driver.act.step(lease, { do: 'pointer', events: [{ type: 'down', button: 'right' }] }, {}, within(5000))
        expect(await down(display)).toEqual({ keys: 2, buttons: 4 })
        process.kill(driver.pid, 'SIGKILL')
      }, fail)
    })
    expect(await released).toEqual({ keys: 2, buttons: 1 })
    await expect.poll(() => down(display), SECOND).toEqual(NOTHING)
  })

  test('is released within a second of the death of the process that owns the driver host, and the host ends', async () => {
    const parent = spawn(process.execPath, [fixture('hold-key.mjs')], {
      env: sandbox.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const host = Number(await new Promise<string>((done) => parent.stdout.once('data', (data: Buffer) => done(data.toString()))))
    expect(await down(display)).toEqual({ keys: 1, buttons: 1 })
    parent.kill('SIGKILL')
    await expect.poll(() => down(display), SECOND).toEqual(NOTHING)
    await expect.poll(() => existsSync(`/proc/${host}/exe`), { timeout: 5000 }).toBe(false)
  })

  test('is let go where it was pressed when nobody says where else', async () => {
    const driver = await linuxHost(sandbox, () => {})
    try {
      const lease = await driver.act.take(60_000, within(5000))
      const events = [
        { type: 'move', x: 50, y: 60 } as const,
        { type: 'down', button: 'left' } as const,
        { type: 'move', x: 150, y: 160 } as const,
      ]
      await driver.act.step(lease, { do: 'pointer', events }, {}, within(5000))
      expect(await display.pointer()).toEqual({ x: 150, y: 160 })
      await driver.act.drop(lease)
      expect(await down(display)).toEqual(NOTHING)
      expect(await display.pointer()).toEqual({ x: 50, y: 60 })
    } finally {
      await driver.close()
    }
  })

  test('is released when the driver is closed or told to end', async () => {
    for (const end of ['close', 'SIGTERM'] as const) {
      const driver = await linuxHost(sandbox)
      const lease = await driver.act.take(60_000, within(5000))
      await driver.act.step(lease, { do: 'keys', events: [{ type: 'down', key: 'Alt' }] }, {}, within(5000))
      expect(await down(display)).toEqual({ keys: 1, buttons: 0 })
      if (end === 'close') await driver.close()
      else process.kill(driver.pid, 'SIGTERM')
      await expect.poll(() => down(display), SECOND).toEqual(NOTHING)
      await driver.died
    }
  })
})

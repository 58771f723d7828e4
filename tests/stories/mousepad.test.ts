import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bringUp, type Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { use, World } from '../support/cli.ts'
import { describeDesktop } from '../support/desktop.ts'

let world: World
let sandbox: Sandbox

describeDesktop('an agent on a real application', () => {
  beforeEach(async () => {
    world = new World()
    sandbox = await bringUp({ stateDir: join(world.env['DESKHAND_STATE']!, 'sandboxes') })
  })
  afterEach(async () => {
    await sandbox.down()
    await world.end()
  })

  const up = (): ReturnType<World['up']> => world.up('--desktop', 'sandbox', '--sandbox', sandbox.record.id)

  async function editor(): Promise<{ pid: number; client: Client }> {
    const { pid } = await up()
    const client = await world.mcp()
    expect((await use(client, 'desktop.launch', { app: 'mousepad' })).record).toMatchObject({ status: 'success', effect: 'confirmed' })
    return { pid, client }
  }

  test('writes Unicode, saves it through menu and dialog, and the file has exactly these bytes', async () => {
    const { client } = await editor()
    const text = 'Grüße 漢字 😀 (a+b)*c\nline two'
    const file = join(world.dir, 'grüße.txt')

    const seen = await use(client, 'ui.snapshot')
    const area = /(e\d+) textbox/.exec(seen.text)?.[1]
    expect((await use(client, 'ui.type', { target: area, text })).record).toMatchObject({ effect: 'confirmed' })
    await use(client, 'ui.click', {
      target: 'role=menu && name="File"',
      verify: { uiState: { target: 'role=menuitem && name="Save As..."', visible: true } },
    })
    const opened = await use(client, 'ui.click', {
      target: 'role=menuitem && name="Save As..."',
      verify: { window: { dialog: true, appeared: true } },
    })
    expect(opened.record).toMatchObject({ verification: { passed: true } })
    const named = await use(client, 'ui.type', {
      target: 'role=dialog && name="Save As" >> role=textbox && name="Name:"',
      text: file,
      mode: 'replace',
    })
    expect(named.record).toMatchObject({ effect: 'confirmed' })
    const saved = await use(client, 'ui.click', {
      target: 'role=dialog && name="Save As" >> role=button && name="Save"',
      verify: { window: { title: 'Save As', present: false } },
    })
    expect(saved.record).toMatchObject({ status: 'success', effect: 'confirmed' })

    expect(readFileSync(file, 'utf8').replace(/\n$/, '')).toBe(text)
    expect(await world.run(['journal', 'verify'])).toMatchObject({ code: 0 })
  })

  test('a key held when the driver host is killed is let go', async () => {
    const { pid, client } = await editor()
    void use(client, 'ui.key', { keys: 'Shift', holdMs: 9_000 })
    await until('Shift is down', () => heldKeys().length > 0)
    process.kill(hostOf(pid), 'SIGKILL')
    await until('nothing is down', () => heldKeys().length === 0)
    // A fresh host takes over.
    await until('the desktop answers again', async () => !(await use(client, 'ui.snapshot')).isError)
  })

  test('a key held when the broker is killed is let go, and its host ends', async () => {
    const { pid, client } = await editor()
    const host = hostOf(pid)
    void use(client, 'ui.key', { keys: 'Control', holdMs: 9_000 })
    await until('Control is down', () => heldKeys().length > 0)
    process.kill(pid, 'SIGKILL')
    await until('nothing is down', () => heldKeys().length === 0)
    await until('the host is gone', () => !alive(host))
  })

  test('stop ends a long text between two keys', async () => {
    const { client } = await editor()
    const typing = use(client, 'ui.type', { text: 'abcdefghij'.repeat(3_000) })
    await until('typing is under way', () => typed().length > 20)
    expect(await world.run(['stop'])).toMatchObject({ code: 0 })
    expect((await typing).record).toMatchObject({ status: 'error', error: { code: 'STOPPED' } })
    await sleep(500)
    const after = typed()
    await sleep(500)
    expect(typed()).toBe(after)
    expect(after.length).toBeLessThan(30_000)
    expect('abcdefghij'.repeat(3_000).startsWith(after)).toBe(true)
    expect(heldKeys()).toEqual([])
  })

  test('two agents at once never interleave their keys', async () => {
    const { client } = await editor()
    const second = await world.mcp()
    const [a, b] = ['a'.repeat(150), 'b'.repeat(150)]
    await Promise.all([use(client, 'ui.type', { text: a }), use(second, 'ui.type', { text: b })])
    expect([a + b, b + a]).toContain(typed())
  })
})

/** The keys that the X server says are down, as another program reads them. */
function heldKeys(): string[] {
  const state = execFileSync('xinput', ['query-state', 'Virtual core XTEST keyboard'], { env: sandbox.env, encoding: 'utf8' })
  return state.split('\n').filter((l) => l.includes('=down'))
}

const READ = `
import pyatspi
def texts(a, d=0):
    if a.getRoleName() == 'text':
        t = a.queryText(); print(t.getText(0, -1), end=''); return True
    return any(texts(c, d + 1) for c in a if c)
texts(pyatspi.Registry.getDesktop(0))
`

/** What stands in the editor, as pyatspi reads it. */
function typed(): string {
  const { stdout } = spawnSync('/usr/bin/python3', ['-c', READ], { env: sandbox.env, encoding: 'utf8' })
  return stdout
}

/** The driver host is the broker's only child that runs our host. */
function hostOf(broker: number): number {
  for (const task of readdirSync(`/proc/${broker}/task`)) {
    for (const child of readFileSync(`/proc/${broker}/task/${task}/children`, 'utf8').split(' ').filter(Boolean)) {
      if (readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('host.js')) return Number(child)
    }
  }
  throw new Error('no driver host')
}

function alive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if (await holds()) return
    await sleep(50)
  }
  throw new Error(`never: ${what}`)
}

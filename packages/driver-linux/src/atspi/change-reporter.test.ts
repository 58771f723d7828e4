import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ChangeLog } from '@deskhand/core/driver'
import { Bus } from '../dbus/index.ts'
import { App, NodeIndex } from './app.ts'
import { ChangeReporter } from './change-reporter.ts'
import type { MirrorNode } from './node.ts'
import { ROLE } from './roles.ts'
import { setState } from './states.ts'

const dir = mkdtempSync(join(tmpdir(), 'dh-reporter-'))
const address = `unix:path=${join(dir, 'bus')}`
let daemon: ChildProcess
let bus: Bus
beforeAll(async () => {
  daemon = spawn('dbus-daemon', ['--session', '--nofork', '--nopidfile', '--print-address=1', `--address=${address}`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await new Promise<void>((done) => daemon.stdout?.once('data', () => done()))
  bus = await Bus.connect(address)
})
afterAll(() => {
  bus.close()
  daemon.kill()
  rmSync(dir, { recursive: true, force: true })
})

/** A window with so many labels out of view, and a last one in view. */
function page(hidden: number): { app: App; window: MirrorNode } {
  const app = new App(bus, new NodeIndex(), ':1.99', '/root', { id: 'app1', name: 'Page' })
  const add = (path: string, parent: MirrorNode | undefined, isShown: boolean): MirrorNode => {
    const node = app.ensure(path)
    node.isRead = true
    node.parent = parent
    node.name = path
    parent?.children.push(node)
    for (const state of isShown ? ['visible', 'showing'] : []) setState(node, state, true)
    return node
  }
  const window = add('/window', add('/root', undefined, true), true)
  window.role = ROLE.FRAME
  window.isManaged = true
  for (let i = 0; i < hidden; i++) add(`/hidden${i}`, window, false)
  add('/shown', window, true)
  return { app, window }
}

const namesIn = (log: ChangeLog, start: string): string[] => {
  const told: string[] = []
  for (let at = start; ;) {
    const found = log.since(at)
    if ('reset' in found) throw new Error('the log starts over')
    told.push(...found.changes.flatMap((c) => (c.type === 'put' ? [c.node.name ?? ''] : [])))
    if (!found.more) return told
    at = found.cursor
  }
}

test('what a large application shows is told at once, the rest after it, each once', async () => {
  const log = new ChangeLog()
  const start = log.cursor
  const caughtUp = new Promise<void>((done) => {
    const reporter = new ChangeReporter(log, done)
    const { app, window } = page(9_000)
    reporter.touchAll(window)
    reporter.tell()
    expect(namesIn(log, start)).toContain('/shown')
    expect(namesIn(log, start).length).toBeLessThan(5_000)
    expect(reporter.isBehind(app)).toBe(true)
  })
  await caughtUp
  const names = namesIn(log, start)
  expect(names).toHaveLength(9_002)
  expect(new Set(names).size).toBe(9_002)
})

test('what is small is told whole', () => {
  const log = new ChangeLog()
  const start = log.cursor
  const reporter = new ChangeReporter(log, () => {})
  const { app, window } = page(2_500)
  reporter.touchAll(window)
  reporter.tell()
  expect(namesIn(log, start)).toHaveLength(2_502)
  expect(reporter.isBehind(app)).toBe(false)
})

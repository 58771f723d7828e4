import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DisplayName } from '../../packages/deskhand/src/desktop/record.ts'
import { bringUp, type Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { Lines } from '../peers/lines.ts'
import type { Report } from '../report.ts'

/** Debian's own; the one on the PATH may know nothing of GTK. */
const PYTHON = '/usr/bin/python3'
const beside = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** A Full HD desktop of the bench's own, what runs on it, and a reader that shares no code with ours. */
export interface Desk {
  /** Where `open` and the commands find it. */
  state: string
  sandbox: Sandbox
  atspi: Lines
  start(command: string, args?: readonly string[], env?: NodeJS.ProcessEnv): ChildProcess
  rows(toolkit: string, count: number, title?: string): ChildProcess
  /** Waits until pyatspi sees an application by this name. */
  appears(name: string): Promise<void>
}

/** One part of the suite on a desktop of its own; what goes wrong in it is told, and the other parts go on. */
export async function onDesk(
  report: Report,
  what: string,
  work: (desk: Desk) => Promise<void>,
  display: DisplayName = 'x11',
): Promise<void> {
  await withDesk(work, display).catch((error: unknown) => report.note(`${what}: ${error instanceof Error ? error.message : String(error)}`))
}

async function withDesk(work: (desk: Desk) => Promise<void>, display: DisplayName): Promise<void> {
  const state = mkdtempSync(join(tmpdir(), 'dh-bench-'))
  const sandbox = await bringUp({ stateDir: join(state, 'sandboxes'), width: 1920, height: 1080, display })
  const atspi = new Lines(PYTHON, [beside('../peers/atspi.py')], sandbox.env)
  const prefix = JSON.parse(sandbox.env['DESKHAND_LAUNCH_PREFIX'] ?? '[]') as string[]
  const start: Desk['start'] = (command, args = [], env = {}) => {
    const [program = command, ...words] = [...prefix, command, ...args]
    return spawn(program, words, { env: { ...sandbox.env, ...env }, cwd: sandbox.env['HOME'], stdio: 'ignore' })
  }
  const rows: Desk['rows'] = (toolkit, count, title = 'Rows') => start(PYTHON, [beside('rows.py'), toolkit, String(count), title])
  try {
    await work({ state, sandbox, atspi, start, rows, appears: (name) => appears(atspi, name) })
  } finally {
    await atspi.close()
    await sandbox.down()
    rmSync(state, { recursive: true, force: true })
  }
}

async function appears(atspi: Lines, name: string): Promise<void> {
  const end = performance.now() + 60_000
  for (let why = ''; ; await sleep(200)) {
    // Its tree has to hold a window and something in it, not only the application itself.
    const seen = await atspi
      .ask<Timed<number>>({ do: 'tree', app: name, what: 'structure', runs: 1 })
      .catch((error: unknown) => void (why = String(error)))
    if (seen !== undefined && seen.result > 3) return
    if (performance.now() > end) throw new Error(`${name} did not appear: ${why}`)
  }
}

/** What a peer tells of its own work. */
export interface Timed<T> {
  ms: number
  result: T
}

/** Why a program that a row needs is not here. */
export function missing(...programs: string[]): string | undefined {
  const path = (process.env['PATH'] ?? '').split(':')
  const absent = programs.filter((p) => !path.some((dir) => existsSync(join(dir, p))))
  return absent.length === 0 ? undefined : `${absent.join(', ')} not installed`
}

/** Runs a command to its end; fails when it does. */
export function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((done, fail) => {
    spawn(command, args, { env, stdio: 'ignore', cwd: env['HOME'] })
      .once('error', fail)
      .once('exit', (code) => (code === 0 ? done() : fail(new Error(`${command} ended with ${code}`))))
  })
}

import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { json } from '@deskhand/core/selector/quote'
import { DeskhandError } from '@deskhand/core/errors'
import { stateDir } from '../defaults.ts'
import { exportLines, programEnvironment } from '../desktop/environment.ts'
import { installLine, installPackages } from '../desktop/packages.ts'
import { lackingPackages, planSandbox } from '../desktop/plan.ts'
import { findCommand } from '../desktop/programs.ts'
import { childrenOf, signal } from '../desktop/process.ts'
import { vncSocket } from '../desktop/record.ts'
import { displayOf } from './display.ts'
import { type ListedSandbox, findSandbox, listSandboxes, reap, takeDown } from '../desktop/takedown.ts'
import type { Common } from './common.ts'
import { configOf } from './config.ts'

const sandboxes = (common: Common): string => join(stateDir(configOf(common)), 'sandboxes')

export interface UpOptions {
  file?: string
  width?: string
  height?: string
  vnc?: boolean
  isolate?: boolean
  display?: string
  json?: boolean
}

export async function desktopUp(common: Common, flags: UpOptions): Promise<void> {
  const dir = sandboxes(common)
  const { desktop } = configOf(common)
  const { options, warnings } = await planSandbox({
    file: flags.file ?? desktop.file,
    width: pixels(flags.width),
    height: pixels(flags.height),
    isolate: flags.isolate ?? desktop.isolate,
    display: displayOf(flags.display) ?? desktop.display,
    vnc: flags.vnc,
  })
  for (const warning of warnings) warn(`note: ${warning}`)
  await reap(dir)
  const { bringUp } = await import('../desktop/sandbox.ts')
  const interrupt = new AbortController()
  for (const name of SIGNALS) process.once(name, () => interrupt.abort(new DeskhandError('CANCELLED', `ended by ${name}; nothing is left`)))
  const { record, display } = await bringUp({ ...options, stateDir: dir, keep: true, signal: interrupt.signal })
  const view = record.vnc ? vncSocket(record) : undefined
  if (flags.json) return say(json({ id: record.id, name: record.name, display, dir: record.dir, isolated: record.isolated, vnc: view }))
  say(`${record.id} is up on ${display}, ${record.width}x${record.height}${record.isolated ? ', isolated' : ''}`)
  say(`own it:  deskhand up --desktop sandbox --sandbox ${record.id}`)
  say(`use it:  deskhand desktop run ${record.id} -- mousepad`)
  if (view !== undefined) say(`see it:  vncviewer ${view}`)
}

export async function desktopDown(common: Common, id: string | undefined): Promise<void> {
  const dir = sandboxes(common)
  const chosen = id === undefined ? listSandboxes(dir) : [findSandbox(dir, id)]
  const ends = await Promise.allSettled(chosen.map((s) => takeDown(dir, s.record)))
  const failed = ends.filter((end) => end.status === 'rejected')
  say(`${chosen.length - failed.length} taken down`)
  if (failed[0] !== undefined) throw failed[0].reason
}

export async function desktopList(common: Common, options: { json?: boolean }): Promise<void> {
  const all = listSandboxes(sandboxes(common))
  if (options.json) return say(json(all.map(asJson)))
  if (all.length === 0) return say('no sandbox is up; bring one up with: deskhand desktop up')
  for (const listed of all) say(describe(listed))
}

export async function desktopEnv(common: Common, id: string): Promise<void> {
  const { record } = usable(sandboxes(common), id)
  if (record.isolated) warn('note: what this shell starts is on the desktop, but not locked up; deskhand desktop run locks it up')
  for (const line of exportLines(programEnvironment(record.env))) say(line)
}

/** Runs a program of the operator's on a desktop; its exit code is ours. */
export async function desktopRun(common: Common, id: string, command: string[], options: { detach?: boolean }): Promise<void> {
  const dir = sandboxes(common)
  const { record, state, keeper } = usable(dir, id)
  if (state === 'impaired' && keeper === undefined) {
    const { mend } = await import('../desktop/keeper.ts')
    for (const part of await mend(dir, record)) warn(`note: ${part} had ended and was started anew`)
  }
  const { DESKHAND_LAUNCH_PREFIX: prefix = '[]', ...env } = programEnvironment(record.env)
  const [name = ''] = command
  if (findCommand(name, env['PATH'] ?? '') === undefined)
    throw new DeskhandError('UNKNOWN_APP', `there is no program ${JSON.stringify(name)} here`)
  const [program = name, ...args] = [...(JSON.parse(prefix) as string[]), ...command]
  const child = spawn(program, args, { env, stdio: options.detach ? 'ignore' : 'inherit', detached: options.detach === true })
  const failed = new Promise<never>((_, fail) =>
    child.once('error', (e) => fail(new DeskhandError('UNKNOWN_APP', `${name} cannot be started: ${e.message}`))),
  )
  if (options.detach) {
    await Promise.race([failed, new Promise((done) => child.once('spawn', done))])
    child.unref()
    return say(String(child.pid))
  }
  const { pid = 0 } = child
  // The isolating program does not pass signals on: the isolated one is two processes below.
  const hearers = (): number[] =>
    record.isolated
      ? childrenOf(pid)
          .flatMap((init) => childrenOf(init.pid))
          .map((p) => p.pid)
      : [pid]
  for (const name of SIGNALS) process.on(name, () => hearers().forEach((hearer) => signal(hearer, name)))
  const ended = new Promise<number>((done) =>
    child.once('exit', (code, by) => done(code ?? 128 + (by === null ? 0 : constants.signals[by]))),
  )
  process.exitCode = await Promise.race([failed, ended])
}

export async function desktopScreenshot(common: Common, id: string, file: string): Promise<void> {
  const { record } = usable(sandboxes(common), id)
  const [{ openServer }, { encodePng }] = await Promise.all([import('@deskhand/driver-linux'), import('@deskhand/core/driver')])
  const server = await openServer(record.env)
  try {
    if (server.grab === undefined) throw new DeskhandError('NOT_CAPABLE', 'this desktop gives no pictures')
    const frame = await server.grab()
    write(file, await encodePng(frame))
    say(`${file}: ${frame.width}x${frame.height}`)
  } finally {
    server.close()
  }
}

function write(file: string, data: Uint8Array): void {
  try {
    writeFileSync(file, data)
  } catch (cause) {
    throw new DeskhandError('BAD_ARGS', `the picture cannot be written: ${DeskhandError.from(cause).message}`, {
      next: 'Name a file in a folder that you may write to.',
      cause,
    })
  }
}

/** Installs what a sandbox needs, where it may; the line that does it is told in any case. */
export async function desktopInstall(
  common: Common,
  flags: { file?: string; vnc?: boolean; isolate?: boolean; display?: string; print?: boolean },
): Promise<void> {
  const { desktop } = configOf(common)
  const lacking = await lackingPackages({
    file: flags.file ?? desktop.file,
    vnc: flags.vnc,
    isolate: flags.isolate ?? desktop.isolate,
    display: displayOf(flags.display) ?? desktop.display,
  })
  if (lacking.length === 0) return say('everything is installed')
  say(installLine(lacking))
  if (flags.print) return
  await installPackages(lacking)
  say('installed')
}

/** A desktop that programs can run on. */
function usable(dir: string, id: string): ListedSandbox {
  const found = findSandbox(dir, id)
  const { record, state, missing } = found
  if (state === 'dead')
    throw new DeskhandError(
      'NO_DESKTOP',
      `the sandbox ${record.id} is dead${missing.length === 0 ? '' : `: ${missing.join(', ')} ended`}`,
      { next: `deskhand desktop down ${record.id} clears it away; deskhand desktop up brings up another.` },
    )
  if (state === 'starting')
    throw new DeskhandError('NO_DESKTOP', `the sandbox ${record.id} is still coming up`, { next: 'Wait a moment and try again.' })
  return found
}

function asJson({ record, state, missing, keeper }: ListedSandbox): unknown {
  const { id, name, display, width, height, isolated, createdAt, dir } = record
  return {
    id,
    name,
    display,
    width,
    height,
    isolated,
    vnc: record.vnc ? vncSocket(record) : undefined,
    state,
    missing,
    keeper: keeper?.pid,
    createdAt,
    dir,
  }
}

function describe({ record, state, missing, keeper }: ListedSandbox): string {
  const health = `${state}${missing.length === 0 ? '' : ` (ended: ${missing.join(', ')})`}`
  const watched = keeper === undefined ? 'nobody supervises it' : `supervised by ${keeper.pid}`
  return [
    record.id,
    record.name,
    record.display ?? '-',
    `${record.width}x${record.height}`,
    health,
    ...(state === 'dead' ? [] : [watched]),
    ...(record.isolated ? ['isolated'] : []),
  ].join('\t')
}

function pixels(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const n = Number(text)
  if (!Number.isInteger(n) || n < 200 || n > 16_384)
    throw new DeskhandError('BAD_ARGS', `${text} is no number of pixels between 200 and 16384`)
  return n
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const warn = (line: string): void => void process.stderr.write(`${line}\n`)

import { spawn } from 'node:child_process'
import { accessSync, constants, readFileSync, readdirSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import type { Ctx, Step } from '@deskhand/core/driver'
import type { LinuxDesktop } from '../desktop.ts'
import type { Env } from '../display-server.ts'
import { programsLike } from './installed.ts'

const SHOWS_MS = 15_000
/** How long a window may be there before its application tells of it. */
const TELLS_MS = 3000
/** How long a program that has ended may take to show something through what it left running. */
const LEFT_MS = 5000

/** What is left of a step's time to answer that nothing was shown. */
const ANSWER_MS = 500

type Launch = Extract<Step, { do: 'launch' }>

export interface Launched {
  /** The process that showed something; where the program was started by another one, not the first. */
  pid: number
  /** It ended by itself, as a program does that hands over to one that runs already. */
  exitCode?: number
}

/** Starts a program on the desktop and waits until it shows something or ends. */
export async function launch(desk: LinuxDesktop, env: Env, { app, args, waitMs = SHOWS_MS }: Launch, ctx: Ctx): Promise<Launched> {
  if ([app, ...args].some((word) => word.includes('\0'))) throw new DeskhandError('BAD_ARGS', 'no program takes a NUL among its words')
  const program = programOf(app, env)
  if (program === undefined) {
    const next = programsLike(app, env, (command) => programOf(command, env) !== undefined)
    throw new DeskhandError('UNKNOWN_APP', `there is no program ${JSON.stringify(app)} on this desktop`, { next })
  }
  const [command = program, ...words] = [...wordsOf(env['DESKHAND_LAUNCH_PREFIX']), program, ...args]
  const child = spawn(command, words, { cwd: env.HOME, env: programEnv(env), detached: true, stdio: 'ignore' })
  child.unref()
  const failed = new Promise<never>((_, fail) =>
    child.once('error', (e) => fail(new DeskhandError('DRIVER_FAILED', `${program} could not be started: ${e.message}`))),
  )
  let ended: { at: number; code: number | null; by: NodeJS.Signals | null } | undefined
  child.once('exit', (code, by) => (ended = { at: performance.now(), code, by }))
  const { pid } = child
  if (pid === undefined) return failed
  const started = performance.now()
  const end = started + Math.min(waitMs, ctx.deadlineMs - ANSWER_MS)
  while (performance.now() < end && !ctx.signal.aborted) {
    const { cursor } = desk.mirror.log
    await Promise.race([desk.settle(), failed])
    const shown = shownBy(desk, pid, performance.now() - started > TELLS_MS)
    if (shown !== undefined) return { pid: shown }
    if (ended !== undefined && ended.code !== 0)
      throw new DeskhandError('DRIVER_FAILED', `${program} ended ${how(ended)} before it showed anything`)
    if (ended !== undefined && (performance.now() - ended.at > LEFT_MS || !hasSession(pid))) return { pid, exitCode: 0 }
    if (desk.mirror.log.cursor === cursor) await desk.mirror.log.wait(50, ctx.signal)
  }
  throw new DeskhandError('TIMEOUT', `${program} runs as ${pid}, but has not shown a window yet`, { details: { pid } })
}

/**
 * What a program inherits: nothing of Deskhand's own but the mark by which the desktop knows its processes. It finds the accessibility bus by
 * the session bus: Qt 6 offers no tree where a variable names that bus.
 */
function programEnv(env: Env): Env {
  const isOwn = (name: string): boolean => name.startsWith('DESKHAND_') && name !== 'DESKHAND_DESKTOP'
  const isBus = (name: string): boolean => name === 'AT_SPI_BUS_ADDRESS' && env.DBUS_SESSION_BUS_ADDRESS !== undefined
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isOwn(name) && !isBus(name)))
}

const how = ({ code, by }: { code: number | null; by: string | null }): string => (by === null ? `with code ${code}` : `by ${by}`)

/** Whether anything runs that a program left behind: it was the first of its session. */
const hasSession = (pid: number): boolean =>
  readdirSync('/proc').some((entry) => /^\d+$/.test(entry) && statOf(Number(entry))[3] === String(pid))

/** What a desktop puts before every program, such as the words that lock it up. */
function wordsOf(prefix: string | undefined): string[] {
  const words: unknown = prefix === undefined ? [] : JSON.parse(prefix)
  if (!Array.isArray(words) || !words.every((w) => typeof w === 'string'))
    throw new DeskhandError('BAD_CONFIG', 'DESKHAND_LAUNCH_PREFIX is no list of words')
  return words
}

function shownBy(desk: LinuxDesktop, pid: number, isLate: boolean): number | undefined {
  const isOurs = (other: number | undefined): other is number =>
    other !== undefined && (descendsFrom(other, pid) || statOf(other)[3] === String(pid))
  for (const app of desk.mirror.apps.values()) {
    const { pid: owner } = app.identity
    if (app.openWindows.some((w) => w.isShowing && w.bounds !== undefined) && isOurs(owner)) return owner
  }
  return desk
    .nodes()
    .map((b) => b.window.pid)
    .find((owner) => isOurs(owner) && (isLate || !registersLate(owner)))
}

/** GTK 4 shows its windows before it tells of them. */
function registersLate(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/maps`, 'latin1').includes('/libgtk-4.')
  } catch {
    return false
  }
}

function descendsFrom(pid: number, ancestor: number): boolean {
  for (let p = pid; p > 1; p = parentOf(p)) if (p === ancestor) return true
  return false
}

const parentOf = (pid: number): number => Number(statOf(pid)[1] ?? 0)

/** State, parent, group, session and more of a process. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

/** The file that an application's name stands for; undefined where there is none. */
export function programOf(app: string, env: Env): string | undefined {
  if (app.includes('\0')) return undefined
  if (app.includes('/')) return isAbsolute(app) && isProgram(app) ? app : undefined
  return (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, app))
    .find(isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

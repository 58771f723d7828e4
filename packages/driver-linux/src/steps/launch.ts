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
  let windowAt: number | undefined
  while (performance.now() < end && !ctx.signal.aborted) {
    const { cursor } = desk.mirror.log
    await Promise.race([desk.settle(), failed])
    const owner = windowOf(desk, pid)
    windowAt ??= owner === undefined ? undefined : performance.now()
    const isLate = windowAt !== undefined && performance.now() - windowAt > TELLS_MS
    const shown = toldBy(desk, pid) ?? (owner !== undefined && (isLate || !registersLate(owner)) ? owner : undefined)
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

/** The process whose windows the accessibility tree tells of. */
const toldBy = (desk: LinuxDesktop, pid: number): number | undefined =>
  [...desk.mirror.apps.values()].find(
    (app) => app.openWindows.some((w) => w.isShowing && w.bounds !== undefined) && isOurs(app.identity.pid, pid),
  )?.identity.pid

/** The process that has windows on the screen. */
const windowOf = (desk: LinuxDesktop, pid: number): number | undefined =>
  desk
    .nodes()
    .map((b) => b.window.pid)
    .find((owner) => isOurs(owner, pid))

const isOurs = (other: number | undefined, pid: number): boolean =>
  other !== undefined && (descendsFrom(other, pid) || statOf(other)[3] === String(pid))

/** GTK 4 and LibreOffice show their windows before they tell of them. */
function registersLate(pid: number): boolean {
  try {
    return /\/lib(?:gtk-4\.|vclplug_gtk)/.test(readFileSync(`/proc/${pid}/maps`, 'latin1'))
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

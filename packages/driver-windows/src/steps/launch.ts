import { spawn } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { win32 } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '@deskhand/core/errors'
import type { Ctx, Step } from '@deskhand/core/driver'
import type { WindowsDesktop } from '../desktop.ts'

const SHOWS_MS = 15_000
/** What is left of a step's time to answer that nothing was shown. */
const ANSWER_MS = 500
const LOOK_MS = 50
/** How long a program that has ended may take to show something through what it left running. */
const LEFT_MS = 3000

type Launch = Extract<Step, { do: 'launch' }>

/** Starts a program on the desktop and waits until it shows a window or ends. */
export async function launch(desk: WindowsDesktop, { app, args, waitMs = SHOWS_MS }: Launch, ctx: Ctx): Promise<Record<string, number>> {
  if ([app, ...args].some((word) => word.includes('\0'))) throw new DeskhandError('BAD_ARGS', 'no program takes a NUL among its words')
  const program = programOf(app)
  if (program === undefined) throw new DeskhandError('UNKNOWN_APP', `there is no program ${JSON.stringify(app)} on this desktop`)
  desk.refresh()
  const before = new Set(desk.roots.map((root) => root.key))
  const child = spawn(program, args, { detached: true, stdio: 'ignore', env: programEnv(), windowsHide: false })
  child.unref()
  const failed = new Promise<never>((_, fail) =>
    child.once('error', (e) => fail(new DeskhandError('DRIVER_FAILED', `${program} could not be started: ${e.message}`))),
  )
  failed.catch(() => {})
  let ended: { at: number; code: number | null } | undefined
  child.once('exit', (code) => (ended = { at: performance.now(), code }))
  const { pid } = child
  if (pid === undefined) return failed
  const end = performance.now() + Math.min(waitMs, ctx.deadlineMs - ANSWER_MS)
  while (performance.now() < end && !ctx.signal.aborted) {
    await Promise.race([sleep(LOOK_MS), failed])
    desk.refresh()
    const fresh = desk.roots.filter((root) => !before.has(root.key)).map((root) => pidOf(desk, root.app))
    // A program that hands over to another one has ended by then.
    const shown = fresh.find((other) => other === pid) ?? (ended === undefined ? undefined : fresh[0])
    if (shown !== undefined) return { pid: shown }
    if (ended !== undefined && ended.code !== 0)
      throw new DeskhandError('DRIVER_FAILED', `${program} ended with code ${ended.code} before it showed anything`)
    if (ended !== undefined && performance.now() - ended.at > LEFT_MS) return { pid, exitCode: 0 }
  }
  throw new DeskhandError('TIMEOUT', `${program} runs as ${pid}, but has not shown a window yet`, { details: { pid } })
}

const pidOf = (desk: WindowsDesktop, id: string): number | undefined => desk.apps.find((app) => app.id === id)?.pid

/** What a program inherits: nothing of Deskhand's own. */
const programEnv = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('DESKHAND_')))

/** The file that an application's name stands for; undefined where there is none. Scripts are no programs. */
export function programOf(app: string): string | undefined {
  if (app.includes('\0') || app === '') return undefined
  const file = /\.exe$/i.test(app) ? app : `${app}.exe`
  if (/[\\/:]/.test(app)) return win32.isAbsolute(app) && isProgram(file) ? file : undefined
  const folders = (process.env['PATH'] ?? '').split(';').filter((folder) => win32.isAbsolute(folder))
  return folders.map((folder) => win32.join(folder, file)).find(isProgram)
}

const isProgram = (file: string): boolean => existsSync(file) && statSync(file).isFile()

import { readFileSync, rmdirSync } from 'node:fs'
import { chmod, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import { identify, isAlive, type ProcessId } from '@deskhand/core/platform'
import { freeDisplay } from './display.ts'
import { markOf } from './environment.ts'
import { exitCode } from './part.ts'
import { endAll, isMarked, search } from './process.ts'
import {
  type PartName,
  type SandboxRecord,
  clearDrafts,
  forgetRecord,
  isUnreadable,
  loadRecords,
  recordFile,
  updateRecord,
} from './record.ts'
import { Sockets } from './sockets.ts'

const POLITE_MS = 800

/** `impaired`: a part is gone that can be started anew, and will be when a broker owns the desktop. */
export type SandboxState = 'up' | 'starting' | 'impaired' | 'dead'

export interface ListedSandbox {
  record: SandboxRecord
  state: SandboxState
  /** The parts that are gone. */
  missing: PartName[]
  /** The broker that restarts its parts, while it runs. */
  keeper?: ProcessId
}

/** Every recorded desktop and how it is. */
export function listSandboxes(stateDir: string): ListedSandbox[] {
  return loadRecords(stateDir).map(look)
}

/** The one desktop that is meant by the beginning of an id, or by a name; the only one there is when nothing is said. */
export function findSandbox(stateDir: string, wanted?: string): ListedSandbox {
  const all = listSandboxes(stateDir)
  const found = wanted === undefined ? all : meant(all, wanted)
  const [one, ...others] = found
  const next = 'deskhand desktop list shows them; deskhand desktop up brings one up.'
  if (one === undefined && wanted !== undefined && isUnreadable(stateDir, wanted))
    throw new DeskhandError('NO_DESKTOP', `the record of the sandbox ${wanted} cannot be read`, {
      next: `A newer Deskhand may have written ${recordFile(stateDir, wanted)}: take the sandbox down with that version.`,
    })
  if (one === undefined)
    throw new DeskhandError('NO_DESKTOP', wanted === undefined ? 'no sandbox is up' : `there is no sandbox ${wanted}`, { next })
  if (others.length > 0)
    throw new DeskhandError(
      'BAD_ARGS',
      `${found.length} sandboxes are meant by ${wanted ?? 'nothing'}: ${found.map((s) => s.record.id).join(', ')}`,
      { next: 'Name one by its id.' },
    )
  return one
}

/** A whole id before a name, a name before the beginning of an id; and of several, those that live. */
function meant(all: readonly ListedSandbox[], wanted: string): ListedSandbox[] {
  if (wanted === '')
    throw new DeskhandError('BAD_ARGS', 'the sandbox to use has no name', { next: 'Name one by its id; deskhand desktop list shows them.' })
  const ways = [
    (r: SandboxRecord) => r.id === wanted,
    (r: SandboxRecord) => r.name === wanted,
    (r: SandboxRecord) => r.id.startsWith(wanted),
  ]
  const found = ways.map((is) => all.filter((s) => is(s.record))).find((some) => some.length > 0) ?? []
  const living = found.filter((s) => s.state !== 'dead')
  return living.length > 0 ? living : found
}

export function look(record: SandboxRecord): ListedSandbox {
  const missing = record.parts.filter((p) => !isAlive(p) && exitCode(record.dir, p.name) !== 0).map((p) => p.name)
  const keeper = record.keeper !== undefined && isAlive(record.keeper) ? record.keeper : undefined
  const orphan = record.owner !== undefined && !isAlive(record.owner)
  if (orphan || record.leaving || missing.some(isVital)) return { record, state: 'dead', missing, keeper }
  const state = record.upAt === undefined ? 'starting' : missing.length > 0 ? 'impaired' : 'up'
  return { record, state, missing, keeper }
}

/** Parts that cannot be replaced under the applications that use them. */
export const isVital = (name: PartName): boolean => name === 'xvfb' || name === 'sway' || name === 'bus'

/** Ends what belongs to a desktop, and nothing else, and leaves no file, socket or lock of it behind. */
export async function takeDown(stateDir: string, record: SandboxRecord): Promise<void> {
  try {
    updateRecord(stateDir, { ...record, leaving: true })
  } catch {
    // A full disk keeps no desktop from being ended.
  }
  const find = search(markOf(record.id))
  const sockets = new Sockets()
  await endAll(() => {
    const found = [...find(), ...record.parts.filter(isAlive)]
    sockets.note(found)
    return found
  }, POLITE_MS)
  await freeDisplay(record)
  await sockets.clear()
  if (isOurs(record)) await clear(record.dir)
  forgetRecord(stateDir, record.id)
}

/** Takes down desktops whose owner is gone, and desktops that died. Returns their ids; what cannot be ended stays listed. */
export async function reap(stateDir: string): Promise<string[]> {
  clearDrafts(stateDir)
  const leftovers = listSandboxes(stateDir).filter((s) => s.state === 'dead')
  const ends = await Promise.allSettled(leftovers.map((s) => takeDown(stateDir, s.record)))
  return leftovers.filter((_, i) => ends[i]?.status === 'fulfilled').map((s) => s.record.id)
}

/** Ends one application of a desktop; the desktop's own parts and every process outside of it are refused. */
export async function endApplication(record: SandboxRecord, pid: number): Promise<void> {
  const process = identify(pid)
  if (process === undefined) return
  if (!isMarked(pid, markOf(record.id)) || record.parts.some((p) => p.pid === pid && isAlive(p))) {
    throw new DeskhandError('DENIED', `process ${pid} is no application of this desktop`)
  }
  await endAll(() => [process].filter(isAlive), POLITE_MS)
}

/** The file that says whose folder it is; without it the folder is not removed. */
export const OWNER_FILE = '.deskhand-desktop'

/** The owner's name goes last, so that a later process can finish what a killed one began. */
async function clear(dir: string): Promise<void> {
  const entries = (await readdir(dir)).filter((name) => name !== OWNER_FILE)
  for (const path of [...entries.map((name) => join(dir, name)), dir]) {
    const remove = (): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 3 })
    await remove().catch(async () => {
      await unlock(path)
      await remove()
    })
  }
}

/** Some programs close folders of theirs to their own user, who can open them again. */
async function unlock(dir: string): Promise<void> {
  await chmod(dir, 0o700)
  for (const entry of await readdir(dir, { withFileTypes: true })) if (entry.isDirectory()) await unlock(join(dir, entry.name))
}

function isOurs(record: SandboxRecord): boolean {
  try {
    const owner = readFileSync(join(record.dir, OWNER_FILE), 'utf8')
    // Its maker was killed before the name was in it.
    return owner === record.id || (owner === '' && record.dir.endsWith(`/deskhand-${record.id}`))
  } catch {
    removeEmpty(record)
    return false
  }
}

/** A folder that was just made, under the desktop's own name, when its maker was killed. */
function removeEmpty({ id, dir }: SandboxRecord): void {
  if (!dir.endsWith(`/deskhand-${id}`)) return
  try {
    rmdirSync(dir)
  } catch {
    // It is not empty, or not there.
  }
}

import { readFileSync, rmSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MARK } from './environment.ts'
import { endAll, isAlive, marked } from './process.ts'
import { type PartName, type SandboxRecord, forgetRecord, loadRecords } from './record.ts'

const POLITE_MS = 800

export type SandboxState = 'up' | 'starting' | 'dead'

export interface ListedSandbox {
  record: SandboxRecord
  state: SandboxState
  /** The parts that are gone. */
  missing: PartName[]
}

/** Every recorded desktop and how it is. */
export function listSandboxes(stateDir: string): ListedSandbox[] {
  return loadRecords(stateDir).map(look)
}

/** Ends what belongs to a desktop, and nothing else, and leaves no file, socket or lock of it behind. */
export async function takeDown(stateDir: string, record: SandboxRecord): Promise<void> {
  const mark = `${MARK}=${record.id}`
  await endAll(() => [...marked(mark), ...record.parts.filter(isAlive)], POLITE_MS)
  freeDisplay(record)
  if (isOurs(record)) await rm(record.dir, { recursive: true, force: true, maxRetries: 3 })
  forgetRecord(stateDir, record.id)
}

/** Takes down what nobody needs any more: desktops whose owner is gone, and desktops that died. Says which. */
export async function reap(stateDir: string): Promise<string[]> {
  const leftovers = listSandboxes(stateDir).filter((s) => s.state === 'dead')
  await Promise.all(leftovers.map((s) => takeDown(stateDir, s.record)))
  return leftovers.map((s) => s.record.id)
}

/** A file's number, by which it is told from a later one of the same name. */
export function inodeOf(path: string): string | undefined {
  try {
    const { ino, ctimeMs } = statSync(path)
    return `${ino}@${ctimeMs}`
  } catch {
    return undefined
  }
}

/** The file that says whose folder it is; without it the folder is not removed. */
export const OWNER_FILE = '.deskhand-desktop'

function look(record: SandboxRecord): ListedSandbox {
  const missing = record.parts.filter((p) => !isAlive(p)).map((p) => p.name)
  const orphan = record.owner !== undefined && !isAlive(record.owner)
  if (orphan || missing.length > 0) return { record, state: 'dead', missing }
  return { record, state: record.display === undefined ? 'starting' : 'up', missing }
}

function isOurs(record: SandboxRecord): boolean {
  try {
    return readFileSync(join(record.dir, OWNER_FILE), 'utf8') === record.id
  } catch {
    return false
  }
}

/** A killed X server leaves its socket. It is ours to remove only while it is the very one that server made. */
function freeDisplay(record: SandboxRecord): void {
  if (record.socket === undefined) return
  const { path, inode } = record.socket
  if (inodeOf(path) === inode) rmSync(path, { force: true })
}

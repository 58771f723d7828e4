import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { identify } from '@deskhand/core/platform'

/** The programs a desktop consists of, and those that it was told to start. */
export const PartName = z.union([
  z.enum(['xvfb', 'sway', 'bus', 'accessibility', 'accessibility-bus', 'openbox', 'vnc']),
  z.templateLiteral(['startup-', z.number().int()]),
])
export type PartName = z.infer<typeof PartName>

/** The display server that a sandbox has. */
export const DisplayName = z.enum(['x11', 'wayland'])
export type DisplayName = z.infer<typeof DisplayName>

const ProcessId = z.object({ pid: z.number().int().positive(), started: z.string() })

/** A command that runs on the desktop once it is up; one that stays is started anew when it fails. */
export const Startup = z.object({ line: z.string(), stays: z.boolean() })
export type Startup = z.infer<typeof Startup>

/** A sandbox desktop as it is written down, from before its first process starts until nothing of it is left. */
export const SandboxRecord = z.object({
  v: z.literal(1),
  id: z.string().regex(/^[0-9a-f]{16}$/),
  name: z.string(),
  dir: z.string(),
  width: z.number(),
  height: z.number(),
  createdAt: z.string(),
  /** Since then everything runs. */
  upAt: z.string().optional(),
  /** It is being taken down. */
  leaving: z.boolean().optional(),
  /** The process it belongs to: it is reaped when that one is gone. Without an owner it lives until it is taken down. */
  owner: ProcessId.optional(),
  /** The broker that restarts its parts. */
  keeper: ProcessId.optional(),
  display: z.string().optional(),
  /** Records without it are of X servers. */
  server: DisplayName.optional(),
  /** The X server's socket, which a killed server leaves behind. */
  socket: z.object({ path: z.string(), inode: z.string() }).optional(),
  /** Its applications see no network, no files of this machine's users and no other processes. */
  isolated: z.boolean(),
  /** A view-only VNC server listens on a socket in its folder. */
  vnc: z.boolean(),
  startup: z.array(Startup),
  parts: z.array(ProcessId.extend({ name: PartName })),
  /** What a program needs to run on this desktop. */
  env: z.record(z.string(), z.string()),
})
export type SandboxRecord = z.infer<typeof SandboxRecord>

/** The socket that a VNC viewer connects to. */
export const vncSocket = (record: Pick<SandboxRecord, 'dir'>): string => join(record.dir, 'run', 'vnc.sock')

export function saveRecord(stateDir: string, record: SandboxRecord): void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const file = recordFile(stateDir, record.id)
  const draft = `${file}.${process.pid}`
  try {
    writeFileSync(draft, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 })
    renameSync(draft, file)
  } catch (thrown) {
    rmSync(draft, { force: true })
    throw thrown
  }
}

/** Writes a change; returns false, and writes nothing, when the desktop was taken down meanwhile. */
export function updateRecord(stateDir: string, record: SandboxRecord): boolean {
  if (record.leaving ? loadRecord(stateDir, record.id) === undefined : isLeaving(stateDir, record.id)) return false
  saveRecord(stateDir, record)
  return true
}

/** Whether it is being taken down, or is gone. */
export function isLeaving(stateDir: string, id: string): boolean {
  const record = loadRecord(stateDir, id)
  return record === undefined || record.leaving === true
}

/** Another one whenever the record was written or removed: every writing makes a new file of it. */
export function recordVersion(stateDir: string, id: string): string {
  const { ino, mtimeNs } = statSync(recordFile(stateDir, id), { bigint: true, throwIfNoEntry: false }) ?? {}
  return `${ino} ${mtimeNs}`
}

/** Removes drafts of writers that were killed. */
export function clearDrafts(stateDir: string): void {
  for (const name of list(stateDir)) {
    const writer = /^[0-9a-f]{16}\.json\.(\d+)$/.exec(name)?.[1]
    if (writer !== undefined && identify(Number(writer)) === undefined) rmSync(join(stateDir, name), { force: true })
  }
}

/** A desktop as it is written down now. */
export function loadRecord(stateDir: string, id: string): SandboxRecord | undefined {
  const read = SandboxRecord.safeParse(parse(recordFile(stateDir, id)))
  return read.success && read.data.id === id ? read.data : undefined
}

export function forgetRecord(stateDir: string, id: string): void {
  rmSync(recordFile(stateDir, id), { force: true })
}

/** Every readable record, oldest first; a torn or foreign file is left alone. */
export function loadRecords(stateDir: string): SandboxRecord[] {
  const records = list(stateDir).flatMap((name) =>
    name.endsWith('.json') ? (loadRecord(stateDir, name.slice(0, -'.json'.length)) ?? []) : [],
  )
  return records.sort((a, b) => a.createdAt.localeCompare(b.createdAt))
}

/** Whether there is a record of this id that this version cannot read. */
export const isUnreadable = (stateDir: string, id: string): boolean =>
  list(stateDir).includes(`${id}.json`) && loadRecord(stateDir, id) === undefined

export const recordFile = (stateDir: string, id: string): string => join(stateDir, `${id}.json`)

function list(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

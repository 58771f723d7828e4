import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { ProcessId } from './process.ts'

/** The programs a desktop consists of; without any one of them it is dead. */
const PARTS = ['xvfb', 'bus', 'accessibility', 'openbox'] as const
export type PartName = (typeof PARTS)[number]

/** A sandbox desktop as it is written down, from before its first process starts until nothing of it is left. */
export const SandboxRecord = z.object({
  v: z.literal(1),
  id: z.string().regex(/^[0-9a-f]{16}$/),
  dir: z.string(),
  width: z.number(),
  height: z.number(),
  createdAt: z.string(),
  /** The process it belongs to: it is reaped when that one is gone. Without an owner it lives until it is taken down. */
  owner: ProcessId.optional(),
  display: z.string().optional(),
  /** The X server's socket, which a killed server leaves behind. */
  socket: z.object({ path: z.string(), inode: z.string() }).optional(),
  parts: z.array(ProcessId.extend({ name: z.enum(PARTS) })),
  /** What a program needs to run on this desktop. */
  env: z.record(z.string(), z.string()),
})
export type SandboxRecord = z.infer<typeof SandboxRecord>

export function saveRecord(stateDir: string, record: SandboxRecord): void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const file = fileOf(stateDir, record.id)
  writeFileSync(`${file}.new`, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

export function forgetRecord(stateDir: string, id: string): void {
  rmSync(fileOf(stateDir, id), { force: true })
}

/** Every readable record, oldest first; a torn or foreign file is left alone. */
export function loadRecords(stateDir: string): SandboxRecord[] {
  const records: SandboxRecord[] = []
  for (const name of list(stateDir)) {
    if (!name.endsWith('.json')) continue
    const read = SandboxRecord.safeParse(parse(join(stateDir, name)))
    if (read.success && name === `${read.data.id}.json`) records.push(read.data)
  }
  return records.sort((a, b) => a.createdAt.localeCompare(b.createdAt))
}

const fileOf = (stateDir: string, id: string): string => join(stateDir, `${id}.json`)

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

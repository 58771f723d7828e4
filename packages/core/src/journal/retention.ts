import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../platform/index.ts'
import { checkpointKey } from './checkpoint.ts'
import { isRecord, parseHead, parseLine } from './line.ts'
import { Lines } from './lines.ts'
import { listSegments, segmentPath } from './segments.ts'

/** How long and how much of a journal and its evidence is kept. */
export interface Retention {
  days?: number
  megabytes?: number
  evidenceDays?: number
  evidenceMegabytes?: number
}

/** What a signed checkpoint says was removed. */
export interface Retired {
  /** The last entry that was removed, and the hash of its line. */
  to?: number
  head?: string
  segments?: number[]
  /** Names of evidence files. */
  evidence?: string[]
  limits: Retention
}

const DAY_MS = 86_400_000
const MEGABYTE = 1_000_000
/** So many names fit into one checkpoint. */
const MOST_NAMES = 1000

/** Removes what is past the limits, whole segments and evidence files, after `state` has put it on record. The segment in use stays. */
export async function retire(dir: string, limits: Retention, now: number, state: (retired: Retired) => Promise<unknown>): Promise<void> {
  const segments = (await listSegments(dir)).slice(0, -1)
  const old = await past(
    segments.map((s) => segmentPath(dir, s)),
    limits.days,
    limits.megabytes,
    now,
  )
  const gone = segments.slice(0, old.length)
  const first = gone.length === 0 ? undefined : await firstOf(dir, (gone.at(-1) ?? 0) + 1)
  if (first !== undefined) {
    await state({ to: first.seq - 1, head: first.prev, segments: gone, limits })
    for (const segment of gone) await rm(segmentPath(dir, segment), { force: true })
    await syncFolder(dir)
  }
  const folder = join(dir, 'evidence')
  const names = await readdir(folder).catch((): string[] => [])
  const blobs = await past(await byAge(names.map((name) => join(folder, name))), limits.evidenceDays, limits.evidenceMegabytes, now)
  for (let at = 0; at < blobs.length; at += MOST_NAMES) {
    const some = blobs.slice(at, at + MOST_NAMES)
    await state({ evidence: some.map((path) => path.slice(folder.length + 1)), limits })
    for (const path of some) await rm(path, { force: true })
  }
}

/** Where the chain begins: at the first entry, or behind what a signed checkpoint further on says was removed. */
export async function beginningOf(dir: string, key: string | undefined): Promise<{ seq: number; hash: string } | undefined> {
  const lines = new Lines(dir)
  try {
    await lines.fill(1)
    const line = lines.peek()
    const first = line && parseLine(line.raw)
    if (first === undefined || 'bad' in first || first.seq <= 1) return undefined
    for (;;) {
      if (lines.ready === 0) await lines.fill(1)
      const next = lines.take()
      if (next === undefined) return undefined
      const retired = retiredBy(next.raw, key)
      if (retired?.to === first.seq - 1 && retired.head === first.prev) return { seq: retired.to, hash: retired.head }
    }
  } finally {
    await lines.close()
  }
}

/** What this line says was removed, where it is a checkpoint with a good signature of this key. */
export function retiredBy(raw: Buffer, key: string | undefined): Retired | undefined {
  if (parseHead(raw)?.type !== 'checkpoint') return undefined
  const line = parseLine(raw)
  if ('bad' in line || !isRecord(line.fields.detail) || !isRecord(line.fields.detail.retired)) return undefined
  const signer = checkpointKey(raw, line)
  if (signer === undefined || (key !== undefined && signer !== key)) return undefined
  const { to, head, evidence } = line.fields.detail.retired
  return {
    to: typeof to === 'number' ? to : undefined,
    head: typeof head === 'string' ? head : undefined,
    evidence: Array.isArray(evidence) ? evidence.filter((name) => typeof name === 'string') : undefined,
    limits: {},
  }
}

async function firstOf(dir: string, segment: number): Promise<{ seq: number; prev: string } | undefined> {
  const lines = new Lines(dir, { segment, offset: 0 })
  try {
    await lines.fill(1)
    const line = lines.peek()
    const entry = line && parseLine(line.raw)
    return entry === undefined || 'bad' in entry ? undefined : entry
  } finally {
    await lines.close()
  }
}

/** The first of these files, oldest first, that are too old or too much together with those behind them. */
async function past(files: readonly string[], days: number | undefined, megabytes: number | undefined, now: number): Promise<string[]> {
  const stats = await Promise.all(files.map((file) => stat(file).catch(() => undefined)))
  let bytes = stats.reduce((sum, s) => sum + (s?.size ?? 0), 0)
  const found: string[] = []
  for (const [i, file] of files.entries()) {
    const isOld = days !== undefined && now - (stats[i]?.mtimeMs ?? now) > days * DAY_MS
    const isMuch = megabytes !== undefined && bytes > megabytes * MEGABYTE
    if (!isOld && !isMuch) break
    bytes -= stats[i]?.size ?? 0
    found.push(file)
  }
  return found
}

async function byAge(files: readonly string[]): Promise<string[]> {
  const dated = await Promise.all(files.map(async (file) => ({ file, at: (await stat(file).catch(() => undefined))?.mtimeMs ?? 0 })))
  return dated.sort((a, b) => a.at - b.at).map(({ file }) => file)
}

import { createWriteStream, existsSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { readEntries, readRaw, verifyJournal, type EntryFilter, type Verification } from '@deskhand/core/journal'
import { DeskhandError } from '@deskhand/core/errors'
import { z } from 'zod'
import { EntryBody, type EntryType, type JournalEntry } from '@deskhand/core/model'
import { json, visible } from '@deskhand/core/selector/quote'
import { DesktopState } from '../broker/desktop-state.ts'
import type { Common } from './common.ts'
import { configOf } from './config.ts'
import { placeOf, settingsOf } from './connect.ts'
import { line } from './journal/line.ts'
import { story } from './journal/story.ts'

/** Reads the whole record and says where, if anywhere, its story was changed. */
export async function verify(
  common: Common,
  path: string | undefined,
  options: { key?: string; head?: string; json?: boolean },
): Promise<void> {
  const found = await check(common, path, options.key)
  if (options.head !== undefined && options.head !== found.head) {
    found.ok = false
    found.problems.push({ kind: 'cut', seq: found.entries + 1, detail: `It ends with ${found.head}, not with the given head.` })
  }
  if (options.json) say(json(found))
  else report(found)
  if (!found.ok)
    throw new DeskhandError('JOURNAL_BROKEN', `the record is not what was written, from entry ${found.problems[0]?.seq ?? 0} on`)
}

function report(found: Verification): void {
  say(`${found.entries} entries, intact to ${found.intactTo}, signed to ${found.signedTo}, anchored to ${found.anchoredTo}`)
  if (found.retiredTo > 0) say(`entries 1 to ${found.retiredTo} were removed by the limits on what is kept, as a signed checkpoint says`)
  if (found.externalTo !== undefined) say(`externally anchored to ${found.externalTo}`)
  for (const { from, to } of found.adopted)
    say(`entries ${from} to ${to} were found behind the anchor after a crash: only the chain speaks for them`)
  for (const { op, seq } of found.inFlight) say(visible(`entry ${seq}: ${op} was begun and never ended; what it sent is unknown`))
  if (found.tornBytes > 0) say(`${found.tornBytes} bytes of an unfinished last line`)
  for (const p of found.problems) say(visible(`entry ${p.seq}: ${p.kind}: ${p.detail}`))
}

/** The record of this desktop against its anchor; another folder against its own anchor here, or a key; an exported file against a key. */
async function check(common: Common, path: string | undefined, key: string | undefined): Promise<Verification> {
  const place = await placeFor(common)
  if (path === undefined) {
    if (!existsSync(place.journal) && place.desktop() === undefined) throw nothingIn(place.journal)
    const external = configOf(common).journal.anchor
    return verifyJournal({ dir: place.journal, desktop: place.desktop(), anchorDir: place.keys, external })
  }
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) throw nothingIn(path)
  if (stat.isDirectory()) return verifyJournal(key === undefined ? { dir: path, anchorDir: place.keys } : { dir: path, key })
  if (key === undefined)
    throw new DeskhandError('BAD_ARGS', 'an exported file says itself who signed it, which proves nothing', {
      next: 'Name the key with --key; deskhand journal export printed it.',
    })
  return asFolder(path, (dir) => verifyJournal({ dir, key }))
}

/** A single file looks like a journal of one segment; evidence is looked for beside it. */
async function asFolder<T>(file: string, work: (dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'deskhand-verify-'))
  try {
    symlinkSync(resolve(file), join(dir, 'journal-000001.jsonl'))
    symlinkSync(resolve(dirname(file), 'evidence'), join(dir, 'evidence'))
    return await work(dir)
  } finally {
    rmSync(dir, { recursive: true })
  }
}

export interface ListOptions {
  type?: string[]
  tool?: string
  op?: string
  since?: string
  until?: string
  json?: boolean
  follow?: boolean
}

export async function list(common: Common, dir: string | undefined, options: ListOptions): Promise<void> {
  const { type, tool, op, since, until } = options
  const filter: EntryFilter = { types: type?.map(entryType), tool, op, since: since && timeOf(since), until: until && timeOf(until) }
  const ended = new AbortController()
  if (options.follow) process.once('SIGINT', () => ended.abort()).once('SIGTERM', () => ended.abort())
  const folder = await folderOf(common, dir)
  const adopted = await adoptedIn(folder)
  const isAdopted = (entry: JournalEntry): boolean => adopted.some(({ from, to }) => entry.seq >= from && entry.seq <= to)
  for await (const entry of readEntries(folder, filter, options.follow ? ended.signal : undefined))
    print(entry, options.json, isAdopted(entry))
}

/** One operation as a story, by its id or by the number of any of its entries. */
export async function show(common: Common, id: string, dir: string | undefined, options: { json?: boolean }): Promise<void> {
  const folder = await folderOf(common, dir)
  const seq = /^\d+$/.test(id) ? Number(id) : undefined
  const [named] = seq === undefined ? [] : await all(folder, { fromSeq: seq, toSeq: seq })
  const op = seq === undefined ? id : named !== undefined && 'op' in named ? named.op : undefined
  const entries = op === undefined ? (named === undefined ? [] : [named]) : await all(folder, { op })
  if (entries.length === 0)
    throw new DeskhandError('BAD_ARGS', `${id} is neither an operation nor an entry of this journal`, {
      next: 'deskhand journal list shows what is there.',
    })
  for (const text of options.json ? entries.map((e) => json(e)) : story(entries)) say(text)
}

/** The whole record as one file, byte for byte, after making sure that it is whole. */
export async function exportTo(
  common: Common,
  file: string,
  dir: string | undefined,
  options: Record<string, unknown> = {},
): Promise<void> {
  const part = ['from', 'to', 'title', 'parameter'].find((name) => options[name] !== undefined)
  if (part !== undefined)
    throw new DeskhandError('BAD_ARGS', `--${part} is for a playbook; a record is exported whole`, { next: 'Add --as playbook.' })
  const folder = await folderOf(common, dir)
  const found = await check(common, dir, undefined)
  const out = file === '-' ? process.stdout : createWriteStream(file, { flags: 'wx', mode: 0o600 })
  await pipeline(readRaw(folder, { toSeq: found.retiredTo + found.entries }), out, { end: file !== '-' }).catch((thrown: unknown) => {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST')
      throw new DeskhandError('BAD_ARGS', `${file} is there already`, { next: 'Name another file.' })
    throw thrown
  })
  for (const { from, to } of found.adopted)
    process.stderr.write(`note: entries ${from} to ${to} were found behind the anchor after a crash: only the chain speaks for them\n`)
  process.stderr.write(
    `${found.entries} entries. Keep this line apart from the file:\ndeskhand journal verify ${file} --key ${found.key ?? ''} --head ${found.head}\n`,
  )
  if (!found.ok)
    throw new DeskhandError('JOURNAL_BROKEN', `the exported record is not what was written, from entry ${found.problems[0]?.seq ?? 0} on`)
}

export async function placeFor(common: Common): Promise<DesktopState> {
  const { state, name, kind } = await settingsOf(common)
  return (await placeOf(common)) ?? new DesktopState(state, name ?? kind)
}

export async function folderOf(common: Common, dir: string | undefined): Promise<string> {
  const folder = dir ?? (await placeFor(common)).journal
  if (!existsSync(folder)) throw nothingIn(folder)
  return folder
}

async function all(dir: string, filter: EntryFilter): Promise<JournalEntry[]> {
  const found: JournalEntry[] = []
  for await (const entry of readEntries(dir, filter)) found.push(entry)
  return found
}

const TYPES = EntryBody.options.map((o) => o.shape.type.value)

function entryType(name: string): EntryType {
  const type = TYPES.find((t) => t === name)
  if (type === undefined) throw new DeskhandError('BAD_ARGS', `there is no type ${name}`, { next: `Use some of ${TYPES.join(', ')}.` })
  return type
}

/** A date and time, or how long ago: 90s, 10m, 2h, 3d. */
function timeOf(text: string): string {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(text) ?? []
  const at = count === undefined ? Date.parse(text) : Date.now() - Number(count) * { s: 1e3, m: 6e4, h: 36e5, d: 864e5 }[unit as 's']
  if (Number.isNaN(at))
    throw new DeskhandError('BAD_ARGS', `${JSON.stringify(text)} is no time`, {
      next: 'Write 2026-11-16T12:00:00Z, or how long ago: 10m, 2h, 3d.',
    })
  return new Date(at).toISOString()
}

const nothingIn = (path: string): DeskhandError =>
  new DeskhandError('BAD_ARGS', `there is no journal in ${path}`, { next: 'Name its folder, or the desktop with --name.' })

/** Entries that openings of the journal found behind the anchor: what they say is proven by the chain alone. */
async function adoptedIn(dir: string): Promise<{ from: number; to: number }[]> {
  const found: { from: number; to: number }[] = []
  for await (const entry of readEntries(dir, { types: ['checkpoint'] })) {
    const read = entry.type === 'checkpoint' && entry.why === 'opened' ? Opened.safeParse(entry.detail) : undefined
    if (read?.data?.adopted !== undefined) found.push(read.data.adopted)
  }
  return found
}

const Opened = z.object({ adopted: z.object({ from: z.number(), to: z.number() }).optional() })

const print = (entry: JournalEntry, asJson: boolean | undefined, isAdopted: boolean): void =>
  say(asJson ? json(isAdopted ? { ...entry, adopted: true } : entry) : `${line(entry)}${isAdopted ? '  [adopted after a crash]' : ''}`)
const say = (text: string): void => void process.stdout.write(`${text}\n`)

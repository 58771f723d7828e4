import { readEntries, verifyJournal } from '@deskhand/core/journal'
import { DeskhandError } from '@deskhand/core/errors'
import type { JournalEntry } from '@deskhand/core/model'
import { Place } from '../broker/place.ts'
import { nameOf, stateDir } from '../config.ts'
import { configOf, placeOf, type Common } from './connect.ts'

/** Reads the whole record and says where, if anywhere, its story was changed. */
export async function verify(common: Common, dir: string | undefined): Promise<void> {
  const place = placeFor(common)
  const folder = dir ?? place.journal
  const desktop = place.desktop() ?? (await desktopIn(folder))
  const found = await verifyJournal({ dir: folder, desktop, anchorDir: place.keys })
  say(`${found.entries} entries, intact to ${found.intactTo}, signed to ${found.signedTo}, anchored to ${found.anchoredTo}`)
  for (const { op, seq } of found.inFlight) say(`entry ${seq}: ${op} was begun and never ended; what it sent is unknown`)
  if (found.tornBytes > 0) say(`${found.tornBytes} bytes of an unfinished last line`)
  if (found.ok) return
  for (const p of found.problems) say(`entry ${p.seq}: ${p.kind}: ${p.detail}`)
  throw new DeskhandError('JOURNAL_BROKEN', `the record is not what was written, from entry ${found.problems[0]?.seq ?? 0} on`)
}

export async function list(common: Common, dir: string | undefined, options: { json?: boolean }): Promise<void> {
  for await (const entry of readEntries(dir ?? placeFor(common).journal)) say(options.json ? JSON.stringify(entry) : line(entry))
}

function placeFor(common: Common): Place {
  const config = configOf(common)
  return placeOf(common) ?? new Place(stateDir(config), common.name ?? nameOf(config))
}

async function desktopIn(dir: string): Promise<string> {
  for await (const entry of readEntries(dir)) {
    const detail = entry.type === 'checkpoint' ? entry.detail : undefined
    if (typeof detail === 'object' && detail !== null && 'desktop' in detail && typeof detail.desktop === 'string') return detail.desktop
    break
  }
  throw new DeskhandError('JOURNAL_BROKEN', `${dir} does not begin as a journal does`)
}

function line(e: JournalEntry): string {
  const head = `${String(e.seq).padStart(6)}  ${e.time}  ${e.type.padEnd(10)}`
  switch (e.type) {
    case 'decided':
      return `${head}  ${e.op}  ${e.principal.id} ${e.tool} -> ${e.decision.verdict} (${e.risk.level}): ${e.decision.reason}`
    case 'answered':
      return `${head}  ${e.op}  ${e.by?.id ?? 'nobody'} ${e.allow ? 'allowed' : 'denied'} (${e.scope})${e.reason === undefined ? '' : `: ${e.reason}`}`
    case 'acting':
      return `${head}  ${e.op}  ${e.steps.join(', ')}`
    case 'done':
      return `${head}  ${e.op}  ${e.status}${e.code === undefined ? '' : ` ${e.code}`}, sent ${e.sent}, ${e.effect}${e.via === undefined ? '' : ` via ${e.via}`}, ${e.ms} ms`
    case 'operator':
      return `${head}  ${e.by.id} ${e.what}`
    case 'human':
      return `${head}  ${e.pointerEvents} pointer and ${e.keyEvents} key events until ${e.to}`
    case 'rejected':
      return `${head}  ${e.principal.id} ${e.tool}: ${e.code} ${e.message}`
    case 'checkpoint':
      return `${head}  ${e.why} after ${e.entries} entries`
    default:
      return e satisfies never
  }
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)

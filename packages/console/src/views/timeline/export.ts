import type { JournalEntry } from '@deskhand/core/model'
import type { DesktopApi } from '../../api/client.ts'
import { clock } from '../../state/clock.ts'
import { reasonOf } from '../../state/rules.ts'
import { detailOf, markOf, noteSentence, sentence, whereOf, type Phrase } from '../../state/sentences.ts'
import { Rows, type Row, type Step } from '../../state/steps.ts'
import { TEXT } from '../../text.ts'
import { picturesOf } from './pictures.tsx'
import type { Search } from './record.ts'

const PAGE = 1_000
/** What one file takes; beyond it the oldest are left out, and the file says so. */
export const MOST_ENTRIES = 100_000
export const MOST_PICTURES = 200

/** The record, or what of it a search finds, as one HTML file that needs no server. It has what the record has: what was redacted there is not in it. */
export async function exportHtml(api: DesktopApi, search: Search): Promise<string> {
  const { entries, isCut } = await allEntries(api, search)
  const rows = Rows.of(entries, MOST_ENTRIES).list.toReversed()
  const { pictures, isUnpictured } = await readPictures(api, rows)
  const check = await api.verify().catch(() => undefined)
  const state =
    check === undefined
      ? ''
      : check.ok
        ? `${TEXT.verified(check.entries)}, ${TEXT.timeline.anchoredTo(check.anchoredTo)}`
        : TEXT.brokenAt(check.problems[0]?.seq ?? 0)
  const title = TEXT.timeline.exportTitle(api.name)
  const about = [
    new Date().toISOString(),
    TEXT.timeline.exported(rows.length),
    state,
    isCut ? TEXT.timeline.exportCut(MOST_ENTRIES) : '',
    isUnpictured ? TEXT.timeline.exportUnpictured(MOST_PICTURES) : '',
  ]
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>${escaped(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escaped(title)}</h1><p>${escaped(about.filter((part) => part !== '').join(' · '))}</p>
<ol>${rows.map((row) => rowHtml(row, pictures)).join('\n')}</ol></main></body></html>
`
}

async function allEntries(api: DesktopApi, search: Search): Promise<{ entries: readonly JournalEntry[]; isCut: boolean }> {
  const all = new Map<number, JournalEntry>()
  let before: number | undefined
  while (all.size <= MOST_ENTRIES) {
    const page = await api.journal({ ...search, calls: true, limit: PAGE, ...(before === undefined ? {} : { before }) })
    for (const entry of page) all.set(entry.seq, entry)
    before = page.at(-1)?.seq
    if (before === undefined) break
  }
  return { entries: [...all.values()].slice(0, MOST_ENTRIES), isCut: all.size > MOST_ENTRIES }
}

async function readPictures(
  api: DesktopApi,
  rows: readonly Row[],
): Promise<{ pictures: ReadonlyMap<string, string>; isUnpictured: boolean }> {
  const kept = rows.flatMap((row) => (row.row === 'step' ? picturesOf(row).map(({ id }) => id) : []))
  const read = new Map<string, string>()
  for (const id of new Set(kept.slice(-MOST_PICTURES))) {
    const picture = await api.evidence(id).catch(() => undefined)
    if (picture !== undefined) read.set(id, await dataUrl(picture))
  }
  return { pictures: read, isUnpictured: kept.length > MOST_PICTURES }
}

function dataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''))
    reader.addEventListener('error', () => reject(reader.error ?? new Error('unreadable')))
    reader.readAsDataURL(blob)
  })
}

function rowHtml(row: Row, pictures: ReadonlyMap<string, string>): string {
  if (row.row === 'note')
    return `<li class="note"><time>${escaped(row.time)}</time> ${phraseHtml(noteSentence(row))}${rawHtml(row.entry)}</li>`
  const { decided, answered, acting, done } = row
  const facts = [
    decided.principal.id,
    decided.tool,
    whereOf(row),
    TEXT.risk[decided.risk.level] ?? '',
    reasonOf(decided.decision),
    detailOf(row),
  ]
  return `<li><time title="${escaped(row.time)}">${escaped(`${row.time.slice(0, 10)} ${clock(row.time)}`)}</time> ${phraseHtml(sentence(row))} <b class="${markOf(row)}">${escaped(TEXT.marks[markOf(row)])}</b>
<p>${escaped(facts.filter((fact) => fact !== '').join(' · '))}</p>${imagesHtml(row, pictures)}${rawHtml([decided, answered, acting, done].filter((entry) => entry !== undefined))}</li>`
}

const imagesHtml = (step: Step, pictures: ReadonlyMap<string, string>): string =>
  picturesOf(step)
    .flatMap(({ id, label }) => {
      const source = pictures.get(id)
      return source === undefined
        ? []
        : [`<figure><img alt="${escaped(label)}" src="${source}"><figcaption>${escaped(label)}</figcaption></figure>`]
    })
    .join('')

const rawHtml = (entry: unknown): string =>
  `<details><summary>${escaped(TEXT.timeline.raw)}</summary><pre>${escaped(JSON.stringify(entry, null, 2))}</pre></details>`

const phraseHtml = (phrase: Phrase): string =>
  phrase.map((part) => (typeof part === 'string' ? escaped(part) : `<strong>${escaped(part.strong)}</strong>`)).join('')

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (c) => ENTITIES[c] ?? c)

const STYLE = `:root{color-scheme:light dark}body{font:14px/1.5 system-ui,sans-serif;margin:0;background:Canvas;color:CanvasText}main{max-width:900px;margin:0 auto;padding:24px}
ol{list-style:none;padding:0}li{padding:10px 0;border-bottom:1px solid color-mix(in srgb,CanvasText 18%,Canvas)}li p{margin:2px 0;opacity:.75;overflow-wrap:anywhere}time{font-family:ui-monospace,monospace;font-size:12px;opacity:.75}
b{font-size:12px;padding:1px 8px;border-radius:99px;border:1px solid}figure{display:inline-block;margin:8px 8px 0 0;max-width:48%}img{max-width:100%;border:1px solid}figcaption{font-size:12px;opacity:.75}
pre{overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere;font-size:12px}summary{cursor:pointer;font-size:12px;opacity:.75}.denied,.refused{color:#b0231b}.confirmed{color:#0b6b43}@media(prefers-color-scheme:dark){.denied,.refused{color:#ff8f85}.confirmed{color:#5fd39b}}`

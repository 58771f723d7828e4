import type { JournalEntry } from '@deskhand/core/model'
import { useVirtualizer } from '@tanstack/react-virtual'
import { Search } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useAct, useConsole, useDesktop } from '../../parts/context.ts'
import { Chip, clock, EffectMark, Empty, Words } from '../../parts/parts.tsx'
import { go, useRoute } from '../../state/route.ts'
import { detailOf, markOf, noteSentence, sentence, whereOf } from '../../state/sentences.ts'
import { Rows, type Row } from '../../state/steps.ts'
import { TEXT } from '../../text.ts'
import { StepDetail } from './step-detail.tsx'

const PAGE = 1_000
const ROW_PX = 54
const SEARCH_MS = 250
/** As many rows of the record as the list keeps. */
const MOST = 200_000

/** The record as it grows, and its past: searched on the server, a page at a time. */
export function TimelineView() {
  const { check } = useDesktop()
  const { op } = useRoute()
  const [text, setText] = useState('')
  const { rows, older, hasOlder } = useRecord(text)
  const place = useRef<HTMLDivElement>(null)
  const list = useVirtualizer({ count: rows.length, getScrollElement: () => place.current, estimateSize: () => ROW_PX, overscan: 12 })
  const items = list.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  const chosen = rows.find((row) => row.row === 'step' && row.op === op)

  useEffect(() => {
    if (hasOlder && last >= rows.length - 50) older()
  }, [hasOlder, last, rows.length, older])

  return (
    <main className="split">
      <section className="stack" aria-label={TEXT.views.timeline}>
        <h1 className="visually-hidden">{TEXT.views.timeline}</h1>
        <div className="bar">
          <Search size={16} aria-hidden="true" />
          <input
            className="field"
            type="search"
            placeholder={TEXT.timeline.search}
            aria-label={TEXT.timeline.search}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          {check !== undefined && (
            <Chip look={check.ok ? 'ok' : 'bad'}>
              {check.ok ? TEXT.verifiedTo(check.entries) : TEXT.brokenAt(check.problems[0]?.seq ?? 0)}
            </Chip>
          )}
        </div>
        <div ref={place} className="scroll">
          {rows.length === 0 ? (
            <Empty title={text === '' ? TEXT.timeline.nothing : TEXT.timeline.none} />
          ) : (
            <div style={{ height: list.getTotalSize(), position: 'relative' }} role="listbox" aria-label={TEXT.steps}>
              {items.map(({ key, index, start }) => {
                const row = rows[index]
                return row === undefined ? null : (
                  <div
                    key={key}
                    ref={list.measureElement}
                    data-index={index}
                    style={{ position: 'absolute', left: 0, right: 0, transform: `translateY(${start}px)` }}
                  >
                    <Entry row={row} isChosen={row === chosen} />
                  </div>
                )
              })}
            </div>
          )}
        </div>
      </section>
      {chosen?.row === 'step' ? <StepDetail key={chosen.op} step={chosen} /> : <Empty title={TEXT.timeline.choose} />}
    </main>
  )
}

function Entry({ row, isChosen }: { row: Row; isChosen: boolean }) {
  const isStep = row.row === 'step'
  return (
    <button
      type="button"
      role="option"
      aria-selected={isChosen}
      className="entry"
      onClick={() => isStep && go({ view: 'timeline', op: row.op })}
    >
      <time dateTime={row.time}>{clock(row.time)}</time>
      <span>
        <Words of={isStep ? sentence(row) : noteSentence(row)} />
        {isStep && <small>{[row.decided.principal.id, whereOf(row), detailOf(row)].filter((t) => t !== '').join(' · ')}</small>}
      </span>
      {isStep && <EffectMark mark={markOf(row)} />}
    </button>
  )
}

/** The rows of the record that match; without a text, those that come in are added. */
function useRecord(text: string): { rows: readonly Row[]; older: () => void; hasOlder: boolean } {
  const { store } = useConsole()
  const { rows: live } = useDesktop()
  const act = useAct()
  const [entries, setEntries] = useState<readonly JournalEntry[]>([])
  const [hasOlder, setHasOlder] = useState(false)
  const isReading = useRef(false)

  const read = useCallback(
    async (before?: number): Promise<readonly JournalEntry[]> =>
      store.api.journal({ newest: true, limit: PAGE, ...(before === undefined ? {} : { before }), ...(text === '' ? {} : { text }) }),
    [store, text],
  )
  useEffect(() => {
    let isOld = false
    const timer = setTimeout(
      () =>
        act(async () => {
          const found = await withWholeCalls(await read(), text, store.api.journal)
          if (isOld) return
          setEntries(found)
          setHasOlder(found.length >= PAGE)
        }),
      text === '' ? 0 : SEARCH_MS,
    )
    return () => {
      isOld = true
      clearTimeout(timer)
    }
  }, [act, read, store, text])

  const older = useCallback(() => {
    const oldest = entries.reduce((least, { seq }) => Math.min(least, seq), Infinity)
    if (isReading.current || oldest === Infinity) return
    isReading.current = true
    act(async () => {
      try {
        const found = await read(oldest)
        setHasOlder(found.length >= PAGE)
        setEntries((known) => [...known, ...found])
      } finally {
        isReading.current = false
      }
    })
  }, [act, entries, read])

  const past = useMemo(() => Rows.of(entries, MOST), [entries])
  const rows = useMemo(() => {
    if (text !== '') return past.list
    const known = new Map(live.list.map((row) => [row.seq, row]))
    const oldestLive = live.list.at(-1)?.seq ?? Infinity
    return [...known.values(), ...past.list.filter((row) => row.seq < oldestLive)]
  }, [past, live, text])
  return { rows, older, hasOlder }
}

const MOST_CALLS = 60

/** A search finds single entries; the calls that they belong to are read whole, so that each shows what became of it. */
async function withWholeCalls(
  found: readonly JournalEntry[],
  text: string,
  journal: (query: { op: string }) => Promise<JournalEntry[]>,
): Promise<readonly JournalEntry[]> {
  if (text === '') return found
  const ops = new Set(found.flatMap((entry) => ('op' in entry && typeof entry.op === 'string' ? [entry.op] : [])))
  const whole = await Promise.all([...ops].slice(0, MOST_CALLS).map((op) => journal({ op })))
  const bySeq = new Map([...found, ...whole.flat()].map((entry) => [entry.seq, entry]))
  return [...bySeq.values()]
}

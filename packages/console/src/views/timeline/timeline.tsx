import { useVirtualizer } from '@tanstack/react-virtual'
import { Download, Search as SearchIcon } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useAct, useConsole, useDesktop } from '../../parts/context.ts'
import { Button, Chip, EffectMark, Empty, Words } from '../../parts/parts.tsx'
import { RecordMark } from '../../parts/record-mark.tsx'
import { clock } from '../../state/clock.ts'
import { go, useRoute } from '../../state/route.ts'
import { detailOf, markOf, noteSentence, sentence, whereOf } from '../../state/sentences.ts'
import type { Row, Step } from '../../state/steps.ts'
import { TEXT } from '../../text.ts'
import { exportHtml } from './export.ts'
import { Filmstrip } from './pictures.tsx'
import { searchOf, trustOf, useRecord, type Search } from './record.ts'
import { StepDetail } from './step-detail.tsx'

const ROW_PX = 54

/** The record as it grows, and its past: searched on the server, a page at a time. */
export function TimelineView() {
  const { store } = useConsole()
  const { check } = useDesktop()
  const { op } = useRoute()
  const [words, setWords] = useState('')
  const [chosenFilters, setFilters] = useState<Search>({})
  const search = { ...chosenFilters, ...searchOf(words) }
  const isAll = Object.keys(search).length === 0
  const { rows, older, hasOlder, isReading, problem } = useRecord(search)
  const place = useRef<HTMLDivElement>(null)
  const list = useVirtualizer({ count: rows.length, getScrollElement: () => place.current, estimateSize: () => ROW_PX, overscan: 12 })
  const items = list.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  const steps = useMemo(() => rows.filter((row): row is Step => row.row === 'step'), [rows])
  const at = steps.findIndex((step) => step.op === op)
  const chosen = steps[at]
  const isInView = items.some(({ index }) => rows[index] === chosen)

  useEffect(() => void store.check(), [store])
  /** To the step before or after the chosen one, with the focus. */
  const move = (by: 1 | -1) => {
    const next = steps[at + by]
    if (next === undefined) return
    go({ view: 'timeline', op: next.op })
    list.scrollToIndex(rows.indexOf(next))
    requestAnimationFrame(() => place.current?.querySelector<HTMLElement>(`[data-op="${next.op}"]`)?.focus())
  }

  useEffect(() => {
    if (hasOlder && last >= rows.length - 50) older()
  }, [hasOlder, last, rows.length, older])

  return (
    <main className="split">
      <section className="stack" aria-label={TEXT.views.timeline}>
        <h1 className="visually-hidden">{TEXT.views.timeline}</h1>
        <div className="bar">
          <SearchIcon size={16} aria-hidden="true" />
          <input
            className="field whole"
            type="search"
            placeholder={TEXT.timeline.search}
            aria-label={TEXT.timeline.search}
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
          <Filters chosen={chosenFilters} choose={setFilters} />
          <ExportButton search={search} />
          <RecordMark />
        </div>
        <Filmstrip rows={rows} op={op} />
        <div ref={place} className="scroll" aria-busy={isReading}>
          {rows.length === 0 ? (
            <Empty title={isReading ? TEXT.loading : problem !== '' ? TEXT.cannotRead : isAll ? TEXT.timeline.nothing : TEXT.timeline.none}>
              <p>{problem}</p>
            </Empty>
          ) : (
            <div
              style={{ height: list.getTotalSize(), position: 'relative' }}
              role="listbox"
              aria-label={TEXT.steps}
              onKeyDown={(event) => {
                if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
                event.preventDefault()
                move(event.key === 'ArrowDown' ? 1 : -1)
              }}
            >
              {items.map(({ key, index, start }, i) => {
                const row = rows[index]
                const isBroken = row !== undefined && check?.ok === false && trustOf(check, row.seq, rows[index - 1]?.seq) === 'broken'
                return row === undefined ? null : (
                  <div
                    key={key}
                    ref={list.measureElement}
                    data-index={index}
                    style={{ position: 'absolute', left: 0, right: 0, transform: `translateY(${start}px)` }}
                  >
                    <Entry row={row} isChosen={row === chosen} isStop={row === chosen || (!isInView && i === 0)} isBroken={isBroken} />
                  </div>
                )
              })}
            </div>
          )}
        </div>
      </section>
      {chosen === undefined ? (
        <Empty title={TEXT.timeline.choose} />
      ) : (
        <StepDetail key={chosen.op} step={chosen} newer={steps[at - 1]} older={steps[at + 1]} />
      )}
    </main>
  )
}

const CHOICES = {
  verdict: ['allow', 'ask_user', 'deny'],
  effect: ['confirmed', 'changed', 'no_effect', 'unverified', 'refused'],
  risk: ['low', 'medium', 'high', 'prohibited'],
} as const

function Filters({ chosen, choose }: { chosen: Search; choose(search: Search): void }) {
  const set = (key: keyof typeof CHOICES, value: string): void => {
    const { [key]: _, ...rest } = chosen
    choose(value === '' ? rest : { ...rest, [key]: value })
  }
  return (Object.keys(CHOICES) as (keyof typeof CHOICES)[]).map((key) => (
    <select
      key={key}
      className="select"
      aria-label={TEXT.timeline.filters[key]}
      value={chosen[key] ?? ''}
      onChange={(e) => set(key, e.target.value)}
    >
      <option value="">{TEXT.timeline.filters[key]}</option>
      {CHOICES[key].map((value) => (
        <option key={value} value={value}>
          {TEXT.timeline.choices[value]}
        </option>
      ))}
    </select>
  ))
}

function ExportButton({ search }: { search: Search }) {
  const { store } = useConsole()
  const act = useAct()
  const [isMaking, setMaking] = useState(false)
  const save = (): void =>
    act(async () => {
      setMaking(true)
      try {
        const url = URL.createObjectURL(new Blob([await exportHtml(store.api, search)], { type: 'text/html' }))
        const link = document.createElement('a')
        link.href = url
        link.download = `${store.api.name}-${new Date().toISOString().slice(0, 10)}.html`
        link.click()
        URL.revokeObjectURL(url)
      } finally {
        setMaking(false)
      }
    })
  return (
    <Button onClick={save} disabled={isMaking} title={TEXT.timeline.exportHint}>
      <Download size={15} aria-hidden="true" />
      {TEXT.timeline.export}
    </Button>
  )
}

interface EntryProps {
  row: Row
  isChosen: boolean
  /** Whether Tab stops here; arrows go on from it. */
  isStop: boolean
  /** Whether the record was changed in what this row tells. */
  isBroken: boolean
}

function Entry({ row, isChosen, isStop, isBroken }: EntryProps) {
  const isStep = row.row === 'step'
  return (
    <button
      type="button"
      role="option"
      aria-selected={isChosen}
      tabIndex={isStop ? 0 : -1}
      data-op={isStep ? row.op : undefined}
      className={`entry ${isBroken ? 'broken' : ''}`}
      onClick={() => isStep && go({ view: 'timeline', op: row.op })}
    >
      <time dateTime={row.time}>{clock(row.time)}</time>
      <span>
        <Words of={isStep ? sentence(row) : noteSentence(row)} />
        {isStep && <small>{[row.decided.principal.id, whereOf(row), detailOf(row)].filter((t) => t !== '').join(' · ')}</small>}
      </span>
      {isBroken ? <Chip look="bad">{TEXT.timeline.brokenHere}</Chip> : isStep && <EffectMark mark={markOf(row)} />}
    </button>
  )
}

import { useVirtualizer } from '@tanstack/react-virtual'
import { Download, Search as SearchIcon } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useAct, useConsole, useDesktop } from '../../parts/context.ts'
import { Button, Chip, EffectMark, Empty, Words } from '../../parts/parts.tsx'
import { clock } from '../../state/clock.ts'
import { go, useRoute } from '../../state/route.ts'
import { detailOf, markOf, noteSentence, sentence, whereOf } from '../../state/sentences.ts'
import type { Row } from '../../state/steps.ts'
import { TEXT } from '../../text.ts'
import { exportHtml } from './export.ts'
import { Filmstrip } from './pictures.tsx'
import { searchOf, useRecord, type Search } from './record.ts'
import { StepDetail } from './step-detail.tsx'

const ROW_PX = 54

/** The record as it grows, and its past: searched on the server, a page at a time. */
export function TimelineView() {
  const { check } = useDesktop()
  const { op } = useRoute()
  const [words, setWords] = useState('')
  const [chosenFilters, setFilters] = useState<Search>({})
  const search = { ...chosenFilters, ...searchOf(words) }
  const isAll = Object.keys(search).length === 0
  const { rows, older, hasOlder, isReading } = useRecord(search)
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
          {check !== undefined && (
            <Chip look={check.ok ? 'ok' : 'bad'}>
              {check.ok ? TEXT.verifiedTo(check.entries) : TEXT.brokenAt(check.problems[0]?.seq ?? 0)}
            </Chip>
          )}
        </div>
        <Filmstrip rows={rows} op={op} />
        <div ref={place} className="scroll" aria-busy={isReading}>
          {rows.length === 0 ? (
            !isReading && <Empty title={isAll ? TEXT.timeline.nothing : TEXT.timeline.none} />
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

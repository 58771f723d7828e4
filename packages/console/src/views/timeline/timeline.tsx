import { Download, MousePointerClick, Search as SearchIcon } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { useAct, useConsole, useDraft, useUnread } from '../../parts/context.ts'
import { Button, Empty } from '../../parts/parts.tsx'
import { RecordMark } from '../../parts/record-mark.tsx'
import type { DraftKinds } from '../../state/drafts.ts'
import { go, useRoute } from '../../state/route.ts'
import type { Step } from '../../state/steps.ts'
import { TEXT } from '../../text.ts'
import { exportHtml, MOST_ENTRIES, MOST_PICTURES } from './export.ts'
import { Filmstrip } from './pictures.tsx'
import { RecordList } from './record-list.tsx'
import { searchOf, useRecord, useStep, type Search } from './record.ts'
import { StepDetail } from './step-detail.tsx'

/** The record as it grows, and its past: searched on the server, a page at a time. */
export function TimelineView() {
  const { store } = useConsole()
  const { op } = useRoute()
  const [wanted = NOTHING, want] = useDraft('search')
  const { words, filters } = wanted
  const search: Search = { ...filters, ...searchOf(words) }
  const isAll = Object.keys(search).length === 0
  const [around, setAround] = useState<number>()
  const { rows, older, isReading, problem } = useRecord(search, around)
  const steps = useMemo(() => rows.filter((row): row is Step => row.row === 'step'), [rows])
  const at = useMemo(() => steps.findIndex((step) => step.op === op), [steps, op])
  const chosen = useStep(op, steps[at], isReading)
  const unread = useUnread()
  const isElsewhere = isAll && at < 0 && !isReading

  useEffect(() => void store.check(), [store])
  useEffect(() => {
    if (isElsewhere && chosen) setAround(chosen.seq)
  }, [chosen, isElsewhere])

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
            onChange={(event) => want({ filters, words: event.target.value })}
          />
          <Filters chosen={filters} choose={(chosen) => want({ words, filters: chosen })} />
          <ExportButton search={search} />
          <RecordMark />
        </div>
        {isAll && around !== undefined && (
          <p className="banner info">
            <span>{TEXT.timeline.around}</span>
            <Button
              onClick={() => {
                setAround(undefined)
                go({ view: 'timeline' })
              }}
            >
              {TEXT.timeline.newest}
            </Button>
          </p>
        )}
        <Filmstrip steps={steps} op={op} />
        {rows.length === 0 ? (
          <Empty title={isReading ? unread : problem !== '' ? TEXT.cannotRead : isAll ? TEXT.timeline.nothing : TEXT.timeline.none}>
            <p>{problem}</p>
          </Empty>
        ) : (
          <RecordList key={around} rows={rows} steps={steps} at={at} isReading={isReading} older={older} />
        )}
      </section>
      {!chosen ? (
        <Empty
          icon={<MousePointerClick size={26} aria-hidden="true" />}
          title={op === undefined ? TEXT.timeline.choose : chosen === null ? TEXT.timeline.noStep : unread}
        />
      ) : (
        <StepDetail key={chosen.op} step={chosen} newer={at < 0 ? undefined : steps[at - 1]} older={at < 0 ? undefined : steps[at + 1]} />
      )}
    </main>
  )
}

const NOTHING: DraftKinds['search'] = { words: '', filters: {} }

const CHOICES = {
  verdict: ['allow', 'ask_user', 'deny'],
  effect: ['confirmed', 'changed', 'no_effect', 'unverified', 'refused'],
  risk: ['low', 'medium', 'high', 'prohibited'],
} as const

type Filtered = DraftKinds['search']['filters']

function Filters({ chosen, choose }: { chosen: Filtered; choose(filters: Filtered): void }) {
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
    <Button onClick={save} disabled={isMaking} title={TEXT.timeline.exportHint(MOST_ENTRIES, MOST_PICTURES)}>
      <Download size={15} aria-hidden="true" />
      {TEXT.timeline.export}
    </Button>
  )
}

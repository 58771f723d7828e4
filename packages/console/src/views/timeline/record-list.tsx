import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useCallback, useEffect, useRef } from 'react'
import { useDesktop } from '../../parts/context.ts'
import { Chip, EffectMark, Words } from '../../parts/parts.tsx'
import { clock, day, moment } from '../../state/clock.ts'
import { go } from '../../state/route.ts'
import { detailOf, markOf, noteMark, noteSentence, plain, sentence, whereOf } from '../../state/sentences.ts'
import type { Row, Step } from '../../state/steps.ts'
import { TEXT } from '../../text.ts'
import { trustOf } from './record.ts'

/** Every row is as high as this, so that no row is measured while the list is scrolled. */
const ROW_PX = 58
/** So many rows before the end the next ones are asked for. */
const AHEAD = 50

interface RecordListProps {
  rows: readonly Row[]
  steps: readonly Step[]
  /** Where the chosen step is among the steps. */
  at: number
  isReading: boolean
  /** Asks for older rows; absent where there are none. */
  older?: (() => void) | undefined
}

/** The rows of the record. What scrolling changes is kept in here: nothing around it is rendered anew. */
export function RecordList({ rows, steps, at, isReading, older }: RecordListProps) {
  const { check } = useDesktop()
  const place = useRef<HTMLDivElement>(null)
  // With another function at each render, the places of all rows would be computed anew for each frame that is scrolled.
  const keyOf = useCallback((index: number) => rows[index]?.seq ?? index, [rows])
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    getItemKey: keyOf,
    estimateSize: () => ROW_PX,
    overscan: 12,
  })
  const items = list.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  const chosen = steps[at]
  const isInView = items.some(({ index }) => rows[index] === chosen)
  /** To the step before or after the chosen one, with the focus. */
  const move = (by: 1 | -1): void => {
    const next = steps[at + by]
    if (next === undefined) return
    go({ view: 'timeline', op: next.op })
    requestAnimationFrame(() => place.current?.querySelector<HTMLElement>(`[data-op="${next.op}"]`)?.focus())
  }
  const chosenAt = chosen === undefined ? -1 : rows.indexOf(chosen)
  const op = chosen?.op
  useEffect(() => {
    const box = place.current
    if (box === null || chosenAt < 0) return
    const top = chosenAt * ROW_PX
    const isSeen = top >= box.scrollTop && top + ROW_PX <= box.scrollTop + box.clientHeight
    if (!isSeen) box.scrollTop = top - (box.clientHeight - ROW_PX) / 2
    // The row moves when newer ones come: only another choice is brought into view.
  }, [op])
  useEffect(() => {
    if (last >= rows.length - AHEAD) older?.()
  }, [last, rows.length, older])

  const top = rows[Math.floor((list.scrollOffset ?? 0) / ROW_PX)]

  return (
    <>
      <p className="day">{top === undefined ? '' : day(top.time)}</p>
      <div ref={place} className="scroll" aria-busy={isReading}>
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
            if (row === undefined) return null
            const isBroken = check?.ok === false && trustOf(check, row.seq, rows[index - 1]?.seq) === 'broken'
            return (
              <Entry
                key={key}
                row={row}
                top={start}
                isChosen={row === chosen}
                isStop={row === chosen || (!isInView && i === 0)}
                isBroken={isBroken}
                day={dayBefore(row, rows[index - 1])}
              />
            )
          })}
        </div>
      </div>
    </>
  )
}

interface EntryProps {
  row: Row
  top: number
  isChosen: boolean
  /** Whether Tab stops here; arrows go on from it. */
  isStop: boolean
  /** Whether the record was changed in what this row tells. */
  isBroken: boolean
  /** The day, where the row after it in time is of another one. */
  day: string | undefined
}

/** The day of a row below one of a later day. */
function dayBefore(row: Row, newer: Row | undefined): string | undefined {
  if (newer === undefined || new Date(row.time).toDateString() === new Date(newer.time).toDateString()) return undefined
  return day(row.time)
}

const Entry = memo(function Entry({ row, top, isChosen, isStop, isBroken, day: begun }: EntryProps) {
  const isStep = row.row === 'step'
  const words = isStep ? sentence(row) : noteSentence(row)
  const mark = isStep ? markOf(row) : noteMark(row)
  const around = isStep ? [row.decided.principal.id, whereOf(row), detailOf(row)].filter((t) => t !== '').join(' · ') : ''
  return (
    <button
      type="button"
      role="option"
      aria-selected={isChosen}
      tabIndex={isStop ? 0 : -1}
      data-op={isStep ? row.op : undefined}
      className={`entry ${isBroken ? 'broken' : ''}`}
      style={{ height: ROW_PX, transform: `translateY(${top}px)` }}
      title={around === '' ? undefined : `${plain(words)}\n${around}`}
      onClick={() => isStep && go({ view: 'timeline', op: row.op })}
    >
      <time dateTime={row.time} title={moment(row.time)}>
        {clock(row.time)}
        {begun !== undefined && <small>{begun}</small>}
      </time>
      <span className="lines">
        <span>
          <Words of={words} />
        </span>
        {around !== '' && <small>{around}</small>}
      </span>
      {isBroken ? <Chip look="bad">{TEXT.timeline.brokenHere}</Chip> : mark !== undefined && <EffectMark mark={mark} />}
    </button>
  )
})

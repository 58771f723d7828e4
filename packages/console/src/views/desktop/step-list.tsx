import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import { EffectMark, Words } from '../../parts/parts.tsx'
import { clock } from '../../state/clock.ts'
import { go } from '../../state/route.ts'
import { detailOf, markOf, noteMark, noteSentence, plain, sentence, whereOf } from '../../state/sentences.ts'
import { isLook, type Row, type Step } from '../../state/steps.ts'
import { TEXT } from '../../text.ts'

const ROW_PX = 58

/** What happened, newest first, each as a sentence with its effect. Looks of people, such as this console's own, are left out. */
export function StepList({ rows }: { rows: readonly Row[] }) {
  const place = useRef<HTMLDivElement>(null)
  const shown = rows.filter((row) => (row.row === 'note' ? !isLook(row) : row.decided.principal.role === 'agent' || !isOfPage(row)))
  const list = useVirtualizer({ count: shown.length, getScrollElement: () => place.current, estimateSize: () => ROW_PX, overscan: 8 })
  if (shown.length === 0) return <p className="empty">{TEXT.noSteps}</p>
  return (
    <div ref={place} className="scroll" tabIndex={0} role="list" aria-label={TEXT.steps}>
      <div style={{ height: list.getTotalSize(), position: 'relative' }}>
        {list.getVirtualItems().map(({ key, index, start }) => {
          const row = shown[index]
          if (row === undefined) return null
          return (
            <div
              key={key}
              ref={list.measureElement}
              data-index={index}
              role="listitem"
              style={{ position: 'absolute', left: 0, right: 0, transform: `translateY(${start}px)` }}
            >
              {row.row === 'step' ? <StepRow step={row} /> : <NoteRow row={row} />}
            </div>
          )
        })}
      </div>
    </div>
  )
}

const isOfPage = ({ done, decided }: Step): boolean => LOOKS.has(decided.kind) && (done === undefined || done.status === 'success')
const LOOKS: ReadonlySet<string> = new Set(['snapshot', 'query', 'describe', 'capture', 'capabilities', 'apps', 'screens'])

function StepRow({ step }: { step: Step }) {
  const detail = detailOf(step) || whereOf(step)
  return (
    <div className="step">
      <time dateTime={step.time}>{clock(step.time)}</time>
      <p>
        <button type="button" className="link said" title={plain(sentence(step))} onClick={() => go({ view: 'timeline', op: step.op })}>
          <Words of={sentence(step)} />
        </button>
        {detail !== '' && <small title={detail}>{detail}</small>}
      </p>
      <EffectMark mark={markOf(step)} />
    </div>
  )
}

function NoteRow({ row }: { row: Extract<Row, { row: 'note' }> }) {
  const mark = noteMark(row)
  return (
    <div className="step">
      <time dateTime={row.time}>{clock(row.time)}</time>
      <p className="said">
        <Words of={noteSentence(row)} />
      </p>
      {mark !== undefined && <EffectMark mark={mark} />}
    </div>
  )
}

import { useEffect, useState } from 'react'
import { useConsole } from '../../parts/context.ts'
import { go } from '../../state/route.ts'
import { sentence } from '../../state/sentences.ts'
import type { Row, Step } from '../../state/steps.ts'
import { TEXT } from '../../text.ts'

const MOST_FRAMES = 60

/** How the window looked before and after a step, where a rule had that kept. */
export function BeforeAfter({ step }: { step: Step }) {
  const shown = picturesOf(step)
  if (shown.length === 0) return null
  return (
    <div className="before-after">
      {shown.map(({ id, label }) => (
        <figure key={label}>
          <Kept id={id} alt={label} />
          <figcaption>{label}</figcaption>
        </figure>
      ))}
    </div>
  )
}

/** The steps of which pictures were kept, as a strip of them, oldest first. */
export function Filmstrip({ rows, op }: { rows: readonly Row[]; op: string | undefined }) {
  const frames = rows
    .filter((row): row is Step => row.row === 'step' && picturesOf(row).length > 0)
    .slice(0, MOST_FRAMES)
    .toReversed()
  if (frames.length === 0) return null
  return (
    <div className="filmstrip" role="group" aria-label={TEXT.timeline.filmstrip}>
      {frames.map((step) => {
        const words = sentence(step)
          .map((part) => (typeof part === 'string' ? part : part.strong))
          .join('')
        return (
          <button
            key={step.op}
            type="button"
            aria-pressed={step.op === op}
            title={words}
            onClick={() => go({ view: 'timeline', op: step.op })}
          >
            <Kept id={picturesOf(step).at(-1)?.id ?? ''} alt={words} />
          </button>
        )
      })}
    </div>
  )
}

export interface KeptPicture {
  id: string
  label: string
}

/** What of a call was kept as pictures; a hash alone cannot be shown. */
export function picturesOf({ done }: Step): readonly KeptPicture[] {
  const { before, after, cropHash } = done?.evidence ?? {}
  const kept: { id: string | undefined; label: string }[] = [
    { id: before?.picture, label: TEXT.timeline.before },
    { id: after?.picture, label: TEXT.timeline.after },
    ...(before?.picture === undefined && after?.picture === undefined ? [{ id: cropHash, label: TEXT.timeline.asked }] : []),
  ]
  return kept.flatMap(({ id, label }) => (id?.startsWith('enc:') === true ? [{ id, label }] : []))
}

function Kept({ id, alt }: { id: string; alt: string }) {
  const { store, api } = useConsole()
  const [shown, setShown] = useState('')
  const [isGone, setGone] = useState(false)
  useEffect(() => {
    let isOver = false
    let url = ''
    const gone = (): void => (isOver ? undefined : setGone(true))
    if (api.mayOperate)
      store.api.evidence(id).then((picture) => (isOver ? undefined : setShown((url = URL.createObjectURL(picture)))), gone)
    return () => {
      isOver = true
      URL.revokeObjectURL(url)
    }
  }, [store, api, id])
  if (!api.mayOperate || isGone) return <span className="kept">{TEXT.timeline.cannotShow}</span>
  return shown === '' ? <span className="kept" /> : <img className="kept" src={shown} alt={alt} />
}

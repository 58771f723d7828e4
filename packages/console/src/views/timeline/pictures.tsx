import { useEffect, useMemo, useState } from 'react'
import { useConsole } from '../../parts/context.ts'
import { MARK_LOOKS } from '../../parts/parts.tsx'
import { go } from '../../state/route.ts'
import { markOf, plain, sentence } from '../../state/sentences.ts'
import type { Step } from '../../state/steps.ts'
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
export function Filmstrip({ steps, op }: { steps: readonly Step[]; op: string | undefined }) {
  const frames = useMemo(() => [...newestKept(steps)].toReversed(), [steps])
  if (frames.length === 0) return null
  return (
    <div className="filmstrip" role="group" aria-label={TEXT.timeline.filmstrip}>
      {frames.map((step) => {
        const words = plain(sentence(step))
        return (
          <button
            key={step.op}
            type="button"
            aria-pressed={step.op === op}
            className={MARK_LOOKS[markOf(step)]}
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

function* newestKept(steps: readonly Step[]): Generator<Step> {
  let left = MOST_FRAMES
  for (const step of steps) {
    if (picturesOf(step).length === 0) continue
    yield step
    if (--left === 0) return
  }
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

import type { Approval, Rect } from '@deskhand/core/model'
import { Suspense, useEffect, useRef, useState, type MouseEvent } from 'react'
import { useConsole, useDesktop } from '../../parts/context.ts'
import { later } from '../../parts/later.tsx'
import { heldBy } from '../../parts/standing.tsx'
import { markOf, nameOf } from '../../state/sentences.ts'
import type { Step } from '../../state/steps.ts'
import { TEXT } from '../../text.ts'
import { elementAt, useTree, type TreeNode } from '../../state/tree.ts'

const VNCViewer = later(async () => (await import('../../viewer/vnc-viewer.tsx')).VNCViewer)

/** A place on the desktop that is pointed out on the picture. */
export interface Outlined {
  bounds: Rect
  look: 'hover' | 'step' | 'asked' | 'hidden'
  label: string
  /** How risky it is, and whether it is asked about only later: of what is asked. */
  risk?: string
  isLater?: boolean
}

/** Elements that can be chosen by a click on the picture. */
interface Picking {
  tree: readonly TreeNode[] | undefined
  pick(node: TreeNode | undefined): void
}

/** As much room as a question mark takes outside of what it is about. */
const MARK_PX = 26
/** As much room as most labels take beside what they name. */
const TAG_PX = 220
const TAG_MOST_PX = 480
const MOST_DIGITS = 3

/** A moment after a change of the tree the picture has it, too. */
const MASKED_MS = 400

/** How long the place of a step stays marked after the step is done. */
const LINGER_MS = 1_500

/** The live picture, with the element under the pointer, the step in progress and the element in question marked on it. */
export function Screen({ more = [], picking }: { more?: readonly Outlined[]; picking?: Picking }) {
  const { store, api } = useConsole()
  const { questions, rows, isMine, info } = useDesktop()
  const [size, setSize] = useState<{ width: number; height: number }>()
  const [pointer, setPointer] = useState<{ x: number; y: number }>()
  const place = useRef<HTMLDivElement>(null)
  const room = useRoom(place)
  const isLooking = !isMine && pointer !== undefined
  const read = useTree(isLooking && picking === undefined)
  const tree = (picking === undefined ? read : picking.tree) ?? []
  const hovered = isLooking ? elementAt(tree, pointer.x, pointer.y) : undefined
  const step = useCurrentStep(rows.list.find((row): row is Step => row.row === 'step' && row.decided.dryRun !== true))
  const isAsked = questions.some((q) => q.state === 'open' && q.approval.op === step?.op)
  const held = heldBy(info, isMine)
  const scale = size === undefined ? 1 : Math.min(room.width / size.width, room.height / size.height)
  const left = size === undefined ? 0 : (room.width - size.width * scale) / 2
  const top = size === undefined ? 0 : (room.height - size.height * scale) / 2

  const masked = useMasked(size !== undefined)
  const outlined: Outlined[] = [
    ...masked.map((bounds) => ({ bounds, look: 'hidden' as const, label: TEXT.hidden })),
    ...more,
    // The card has the name of what is asked about; a label would only cover what is beside it.
    ...questions.flatMap((q) => (q.state === 'open' ? askedOf(q.approval) : [])),
    ...outlineOf(
      isAsked || step === undefined || isRefused(step) ? undefined : step.decided.targets[0],
      'step',
      (target) => `${target.role} “${nameOf(target)}”`,
    ),
    ...(hovered?.bounds === undefined ? [] : [{ bounds: hovered.bounds, look: 'hover' as const, label: labelOf(hovered) }]),
  ]
  const placeOf = (event: MouseEvent): { x: number; y: number } => {
    const box = event.currentTarget.getBoundingClientRect()
    return { x: (event.clientX - box.left - left) / scale, y: (event.clientY - box.top - top) / scale }
  }
  const pick = (event: MouseEvent): void => {
    const at = placeOf(event)
    picking?.pick(elementAt(tree, at.x, at.y))
  }

  return (
    <div
      ref={place}
      className="screen"
      onPointerMove={isMine ? undefined : (event) => setPointer(placeOf(event))}
      onPointerLeave={() => setPointer(undefined)}
      // No click on noVNC's canvas gets here: it lays an element of its own over the page while a button is down.
      onPointerDown={picking && pick}
    >
      <Suspense fallback={null}>
        <VNCViewer
          sandboxUrl={store.api.address('')}
          protocols={store.api.pictureProtocols()}
          isOperated={isMine && api.mayOperate}
          resizeSession={isMine && info?.kind === 'sandbox'}
          onSize={setSize}
          height="100%"
        />
      </Suspense>
      <div className="overlay" aria-hidden="true">
        {held !== undefined && size !== undefined && (
          <div className={`frame ${held}`} style={{ left, top, width: size.width * scale, height: size.height * scale }} />
        )}
        {(size === undefined ? [] : outlined).map(({ bounds, look, label, risk = '', isLater }, i) => {
          const box = { left: left + bounds.x * scale, top: top + bounds.y * scale, width: bounds.w * scale, height: bounds.h * scale }
          const beside = room.width - box.left - box.width - 16
          // A number is a mark on its corner: beside or above its place it would lie on another.
          const isNumber = look === 'step' && label.length <= MOST_DIGITS
          const isBeside = beside > TAG_PX
          const isLow = box.top < MARK_PX
          const corner = `${risk} ${isLater === true ? 'later' : ''} ${isLow ? 'below' : ''} ${beside + 16 < MARK_PX ? 'left' : ''}`
          const isTagged = (look === 'hover' || look === 'step') && !isNumber
          return (
            <div
              key={`${look} ${i}`}
              className={`box ${look} ${look === 'asked' ? corner : isNumber ? 'number' : !isTagged ? '' : isBeside ? 'beside' : isLow ? 'below' : ''}`}
              style={box}
            >
              {label !== '' && (
                <span style={isTagged ? { maxWidth: Math.min(TAG_MOST_PX, isBeside ? beside : room.width - box.left) } : undefined}>
                  {label}
                </span>
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}

type Target = Step['decided']['targets'][number]

function outlineOf(target: Target | undefined, look: 'step' | 'asked', label: (target: Target) => string): Outlined[] {
  const bounds = target?.region ?? target?.bounds
  return target === undefined || bounds === undefined ? [] : [{ bounds, look, label: label(target) }]
}

/** What is asked about: by a question mark, or by the numbers of the steps of a plan, as many as are at one place. */
function askedOf({ steps, targets, risk }: Approval): readonly Outlined[] {
  if (steps === undefined) return outlineOf(targets[0], 'asked', () => '?').map((one) => ({ ...one, risk: risk.level }))
  const places = new Map<string, Outlined>()
  for (const step of steps)
    for (const one of outlineOf(step.targets[0], 'asked', () => String(step.n))) {
      const place = JSON.stringify(one.bounds)
      const known = places.get(place)
      const isLater = step.needs !== 'plan' && known?.isLater !== false
      if (known === undefined) places.set(place, { ...one, risk: step.risk?.level ?? risk.level, isLater })
      else places.set(place, { ...known, label: `${known.label}, ${one.label}`, isLater })
    }
  return [...places.values()]
}

/** Whether nothing of a step is done: then it is not at the element, which has no mark. */
const isRefused = (step: Step): boolean => step.answered?.allow === false || REFUSED.has(markOf(step))
const REFUSED: ReadonlySet<string> = new Set(['denied', 'refused'])

export const labelOf = ({ role, name }: TreeNode): string => (name === undefined || name === '' ? role : `${role} “${name}”`)

/** The newest step while it is under way, and a moment longer. */
function useCurrentStep(newest: Step | undefined): Step | undefined {
  const [gone, setGone] = useState('')
  useEffect(() => {
    if (newest?.done === undefined) return
    const timer = setTimeout(() => setGone(newest.op), LINGER_MS)
    return () => clearTimeout(timer)
  }, [newest])
  const isOld = newest !== undefined && Date.now() - Date.parse(newest.time) > 60_000
  return newest === undefined || newest.op === gone || isOld ? undefined : newest
}

/** What of the picture is hidden from everybody; asked again after the tree changed. */
function useMasked(isShown: boolean): readonly Rect[] {
  const { store } = useConsole()
  const { tree, link } = useDesktop()
  const [masked, setMasked] = useState<readonly Rect[]>([])
  useEffect(() => {
    if (!isShown || link !== 'live') return
    const timer = setTimeout(() => void store.api.masked().then(setMasked, () => {}), MASKED_MS)
    return () => clearTimeout(timer)
  }, [isShown, link, store, tree])
  return masked
}

/** The size of an element, as it changes. */
function useRoom(place: React.RefObject<HTMLDivElement | null>): { width: number; height: number } {
  const [room, setRoom] = useState({ width: 1, height: 1 })
  useEffect(() => {
    if (place.current === null) return
    const observer = new ResizeObserver(([entry]) => entry && setRoom({ width: entry.contentRect.width, height: entry.contentRect.height }))
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [place])
  return room
}

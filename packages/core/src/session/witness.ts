import type { EvidenceStore } from '../journal/index.ts'
import type { Obligations, Rect, Result, TargetFacts, UiNode } from '../model/index.ts'
import { judge } from './deciding.ts'
import { maskText } from './masking.ts'
import { outline } from './outline.ts'
import { expose } from './picture.ts'
import type { Call } from './ports.ts'
import type { Session } from './session.ts'

type Evidence = NonNullable<Result['evidence']>

/** What of its surroundings a person sees of an element. */
const AROUND_PX = 60
const WHOLE_OUTLINE = 1e6

/** A picture of a target for the person who is asked about it, and the name under which the record keeps it. */
export interface Crop {
  png: Uint8Array
  id: string
}

/** Keeps what the target's window looked like, as the rules ask: its outline, and its picture where pictures may be taken. */
export async function witness(s: Session, call: Call, targets: readonly TargetFacts[], on: Obligations): Promise<Evidence['before']> {
  const mode = modeOf(on)
  const { evidence } = s.ports
  if (mode === undefined || evidence === undefined) return undefined
  await s.tree.sync()
  const kept: NonNullable<Evidence['before']> = { outline: await keepOutline(s, call, targets, on, evidence, mode) }
  if (!on.screenshot) return kept
  const refused = cannotPicture(s, call)
  if (refused !== undefined) return { ...kept, withheld: refused }
  const png = await shoot(s, call, windowNode(s, call, targets)?.bounds, on)
  return { ...kept, picture: await evidence.keep(png, mode) }
}

/** The surroundings of what would be touched; nothing where the policy lets no pictures be taken, or nobody knows where it is. */
export async function crop(s: Session, call: Call, targets: readonly TargetFacts[], on: Obligations): Promise<Crop | undefined> {
  const place = around(targets[0])
  if (place === undefined || s.ports.evidence === undefined || cannotPicture(s, call) !== undefined) return undefined
  const png = await shoot(s, call, place, on).catch(asNothing)
  return png && { png, id: await s.ports.evidence.keep(png, modeOf(on) ?? 'hash') }
}

/** How evidence is kept, where any is: hashes, unless a rule asks for more. */
function modeOf({ evidence, screenshot }: Obligations): 'hash' | 'encrypted' | undefined {
  if (evidence === 'none' || (evidence === undefined && !screenshot)) return undefined
  return evidence ?? 'hash'
}

/** Why there is no picture. A rule about ui.capture holds for these pictures too, and one about evidence.picture for them alone. */
function cannotPicture(s: Session, call: Call): string | undefined {
  if (!s.info.can.capture.ok) return s.info.can.capture.reason
  const looking: Call = { ...call, tool: 'evidence.picture', kind: 'capture', args: {}, dryRun: true }
  const { decision } = judge(s, looking, { do: 'capture', format: 'png' }, [])
  return decision.verdict === 'allow' ? undefined : decision.reason
}

async function shoot(s: Session, call: Call, rect: Rect | undefined, { redact }: Obligations): Promise<Uint8Array> {
  return (await expose(s, call, { rect }, 'png', redact)).frame.data
}

async function keepOutline(
  s: Session,
  call: Call,
  targets: readonly TargetFacts[],
  { redact }: Obligations,
  evidence: EvidenceStore,
  mode: 'hash' | 'encrypted',
): Promise<string> {
  const window = windowNode(s, call, targets)
  const { completeness } = s.seen(call)
  const { text } = outline(
    { roots: window === undefined ? [] : [window], completeness },
    { id: (n) => s.refs.id(n), all: true, budget: WHOLE_OUTLINE },
  )
  const clean = s.ports.redactor.text(text)
  return evidence.keep(Buffer.from(redact ? maskText(clean) : clean), mode)
}

/** The window of the first target while it is there, else the one in front; always as the caller may see it. */
function windowNode(s: Session, call: Call, targets: readonly TargetFacts[]): UiNode | undefined {
  const seen = s.seen(call)
  return seen.see(targets[0]?.window?.key) ?? seen.see(s.tree.activeWindow)
}

function around(target: TargetFacts | undefined): Rect | undefined {
  const b = target?.bounds ?? (target?.at && { ...target.at, w: 1, h: 1 })
  if (b === undefined) return undefined
  const wide = { x: b.x - AROUND_PX, y: b.y - AROUND_PX, w: b.w + 2 * AROUND_PX, h: b.h + 2 * AROUND_PX }
  return target?.window?.bounds === undefined ? wide : within(wide, target.window.bounds)
}

function within(a: Rect, b: Rect): Rect | undefined {
  const [x, y] = [Math.max(a.x, b.x), Math.max(a.y, b.y)]
  const [w, h] = [Math.min(a.x + a.w, b.x + b.w) - x, Math.min(a.y + a.h, b.y + b.h) - y]
  return w > 0 && h > 0 ? { x, y, w, h } : undefined
}

/** A question is asked without its picture rather than not at all. */
const asNothing = (): undefined => undefined

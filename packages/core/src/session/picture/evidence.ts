import type { Frame } from '../../driver/driver.ts'
import type { EvidenceStore } from '../../journal/index.ts'
import { intersect, type Obligations, type Rect, type Result, type TargetFacts, type UiNode } from '../../model/index.ts'
import type { Call } from '../call.ts'
import type { Crop } from '../decide/approvals.ts'
import type { Decider } from '../decide/decide.ts'
import type { Redactor } from '../ports.ts'
import type { Decided } from '../record.ts'
import type { DriverState } from '../see/driver-state.ts'
import type { LiveTree } from '../see/live-tree.ts'
import { outline } from '../see/outline.ts'
import type { Refs } from '../see/refs.ts'
import type { See } from '../see/see.ts'
import type { Capture } from './capture.ts'

type Kept = NonNullable<NonNullable<Result['evidence']>['before']>

/** What of its surroundings a person sees of an element. */
const AROUND_PX = 60
const WHOLE_OUTLINE = 1e6

interface EvidenceNeeds {
  /** Nothing is kept where this is absent. */
  store?: EvidenceStore
  tree: LiveTree
  see: See
  refs: Refs
  driver: DriverState
  decider: Decider
  capture: Capture
  redactor: Redactor
}

/** Keeps how things looked, as the rules ask for it. */
export class Evidence {
  readonly #on: EvidenceNeeds

  constructor(needs: EvidenceNeeds) {
    this.#on = needs
  }

  /** What the target's window looks like now: its outline, and its picture where pictures may be taken. */
  async keep({ call, targets, decision }: Decided): Promise<Kept | undefined> {
    const { store, tree } = this.#on
    const on = decision.obligations
    const mode = modeOf(on)
    if (mode === undefined || store === undefined) return undefined
    await tree.sync()
    const window = this.#window(call, targets[0]?.facts)
    const kept: Kept = { outline: await store.keep(this.#outline(call, window, on), mode) }
    if (!on.screenshot) return kept
    const refused = this.#refusal(call)
    if (refused !== undefined) return { ...kept, withheld: refused }
    return { ...kept, picture: await store.keep((await this.#shoot(call, window?.bounds, on)).data, mode) }
  }

  /** The surroundings of what would be touched; nothing where the policy lets no pictures be taken, or its place is unknown. */
  async crop(call: Call, targets: readonly TargetFacts[], on: Obligations): Promise<Crop | undefined> {
    const { store } = this.#on
    const shot = await this.#around(call, targets, on)
    if (shot === undefined || store === undefined) return undefined
    const { data, origin, width, height, scale } = shot
    return { png: data, area: { ...origin, w: width / scale, h: height / scale }, id: await store.keep(data, modeOf(on) ?? 'hash') }
  }

  /** The same once more, to be compared and not kept. */
  async look(call: Call, targets: readonly TargetFacts[], on: Obligations): Promise<Uint8Array | undefined> {
    return (await this.#around(call, targets, on))?.data
  }

  async #around(call: Call, targets: readonly TargetFacts[], on: Obligations): Promise<Frame | undefined> {
    const place = around(targets[0])
    if (place === undefined || this.#on.store === undefined || this.#refusal(call) !== undefined) return undefined
    // A question is asked without its picture rather than not at all.
    return this.#shoot(call, place, on).catch(() => undefined)
  }

  /** Why there is no picture. A rule about ui.capture holds for these pictures too, and one about evidence.picture for them alone. */
  #refusal(call: Call): string | undefined {
    const { driver, decider } = this.#on
    const cap = driver.info.can.capture
    return cap.ok ? decider.captureRefusal(call, 'evidence.picture') : cap.reason
  }

  async #shoot(call: Call, rect: Rect | undefined, { redact }: Obligations): Promise<Frame> {
    const terms = this.#on.decider.captureTerms(call, 'evidence.picture')
    return (await this.#on.capture.take(call.principal, { rect, format: 'png', redact: redact || terms.redact })).frame
  }

  #outline(call: Call, window: UiNode | undefined, { redact }: Obligations): Buffer {
    const { see, refs, redactor } = this.#on
    const { completeness } = see(call.principal)
    const { text } = outline(
      { roots: window === undefined ? [] : [window], completeness },
      { id: (n) => refs.id(n), all: true, budget: WHOLE_OUTLINE },
    )
    const clean = redactor.text(text)
    return Buffer.from(redact ? this.#on.decider.privateText.text(clean) : clean)
  }

  /** The window of the first target while it is there, else the one in front; always as the caller may see it. */
  #window(call: Call, target: TargetFacts | undefined): UiNode | undefined {
    const seen = this.#on.see(call.principal)
    return seen.see(target?.window?.key) ?? seen.see(this.#on.tree.activeWindow)
  }
}

/** How evidence is kept, where any is: hashes, unless a rule asks for more. */
function modeOf({ evidence, screenshot }: Obligations): 'hash' | 'encrypted' | undefined {
  if (evidence === 'none' || (evidence === undefined && !screenshot)) return undefined
  return evidence ?? 'hash'
}

function around(target: TargetFacts | undefined): Rect | undefined {
  const b = target?.region ?? target?.bounds ?? (target?.at && { ...target.at, w: 1, h: 1 })
  if (b === undefined) return undefined
  const wide = { x: b.x - AROUND_PX, y: b.y - AROUND_PX, w: b.w + 2 * AROUND_PX, h: b.h + 2 * AROUND_PX }
  return target?.window?.bounds === undefined ? wide : intersect(wide, target.window.bounds)
}

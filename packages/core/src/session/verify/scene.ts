import type { Condition, Judgement, Principal, Target, UiNode } from '../../model/index.ts'
import type { Resolver } from '../see/resolve.ts'
import type { See } from '../see/see.ts'
import type { Waiter, WaitOptions } from '../see/waiter.ts'
import { evaluate, targetsOf, type Before } from './conditions.ts'

/** Text that is read in pixels. */
export interface ReadText {
  /** Whether a window tells nothing of itself, so that no change of the tree tells what becomes of it. */
  isNeeded(who: Principal): boolean
  /** What can be read on the screen then. */
  read(who: Principal): Promise<readonly string[]> | undefined
}

/** The target that a condition is about, where it lives, and how things were before. */
type About = () => { own?: UiNode; before?: Before }

/** What conditions are judged by: the tree, and pixels where that tells nothing. */
export class Scene {
  readonly #see: See
  readonly #resolver: Resolver
  readonly #pixels: ReadText
  readonly #waiter: Waiter

  constructor(see: See, resolver: Resolver, pixels: ReadText, waiter: Waiter) {
    this.#see = see
    this.#resolver = resolver
    this.#pixels = pixels
    this.#waiter = waiter
  }

  /** Looks until a condition holds for this caller, or the time is over. */
  until(condition: Condition, who: Principal, options: WaitOptions, about: About = () => ({})): Promise<Judgement> {
    return this.#waiter.until(() => this.#look(condition, who, about()), options)
  }

  /** What each target of a condition names now. */
  async named(condition: Condition, who: Principal): Promise<Map<Target, UiNode[]>> {
    const found = new Map<Target, UiNode[]>()
    for (const target of targetsOf(condition)) found.set(target, await this.#resolver.find(target, who))
    return found
  }

  async #look(condition: Condition, who: Principal, about: ReturnType<About>): Promise<Judgement> {
    const found = await this.named(condition, who)
    const judgement = evaluate(condition, { tree: this.#see(who), found, ...about })
    const unseen = this.#pixels.isNeeded(who) ? { ...judgement, seen: true } : judgement
    if (judgement.holds === true || !asksForText(condition)) return unseen
    const reading = this.#pixels.read(who)
    if (reading === undefined) return unseen
    const read = await reading
    return { ...evaluate(condition, { tree: this.#see(who), found, read, ...about }), seen: true }
  }
}

function asksForText({ text, any = [], not, uiState }: Condition): boolean {
  if (text !== undefined || any.some(asksForText) || (not !== undefined && asksForText(not))) return true
  return uiState?.target !== undefined && 'selector' in uiState.target && /\bocr:/.test(uiState.target.selector)
}

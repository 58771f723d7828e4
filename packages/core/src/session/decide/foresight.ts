import type { ErrorCode } from '../../errors.ts'
import { TRAITS, type Action, type ActionKind, type TargetFacts, type Traits } from '../../model/index.ts'

/**
 * How far a plan can be known before anything of it is done. Whatever can open, close or replace something leaves everything after it in
 * the same application unknown, and so what is reached by focus or by pixel anywhere.
 */
export class Foresight {
  readonly #apps = new Map<string, number>()
  #anywhere?: number
  /** Which step moved the focus, and to what where that is known. */
  #focus?: { n: number; key?: string }
  #pixels?: number

  /** Why the target of this action may be another one when its time comes; undefined when it will be the same. */
  doubt(action: Action, targets: readonly TargetFacts[]): string | undefined {
    if (TRAITS[action.do].foreseen) return undefined
    if (this.#anywhere !== undefined) return `step ${this.#anywhere} can change anything`
    if (targets.length === 0) return this.#last === undefined ? undefined : `what it finds depends on step ${this.#last}`
    for (const target of targets) {
      const by = this.#apps.get(appOf(target))
      if (by !== undefined) return `step ${by} can open, close or replace what this is part of`
      const focus = this.#focus
      if (target.source === 'focus' && focus !== undefined && (focus.key === undefined || focus.key !== target.key))
        return `step ${focus.n} can move the focus`
      if (PIXELS.has(target.source) && this.#pixels !== undefined) return `after step ${this.#pixels} something else may lie there`
    }
    return undefined
  }

  /** Why something that cannot be found now may be there when its time comes. */
  hope(code: ErrorCode): string | undefined {
    return this.#last !== undefined && MAY_PASS.has(code) ? `it is not there yet; step ${this.#last} may bring it` : undefined
  }

  /** Takes in that step `n` is done. */
  took(n: number, action: Action, targets: readonly TargetFacts[]): void {
    switch (reach(action, targets)) {
      case 'nothing':
        return
      case 'focus':
        this.#focus = { n, key: targets[0]?.key }
        return
      case 'app':
        this.#focus = { n }
        this.#pixels = n
        for (const target of targets) this.#apps.set(appOf(target), n)
        return
      case 'anywhere':
        this.#anywhere = n
    }
  }

  /** Takes in that step `n` does something that cannot be known yet. */
  lost(n: number, action: Action): void {
    if (TRAITS[action.do].reach !== 'nothing') this.#anywhere ??= n
  }

  get #last(): number | undefined {
    return this.#anywhere ?? [...this.#apps.values()].at(-1)
  }
}

const PIXELS: ReadonlySet<TargetFacts['source']> = new Set<TargetFacts['source']>(['pixel', 'ocr', 'image'])
const MAY_PASS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['NOT_FOUND', 'AMBIGUOUS_TARGET', 'STALE_REF', 'NOT_ACTIONABLE', 'UNKNOWN_APP'])

const appOf = (t: TargetFacts): string => t.app?.id ?? ''

/** What an action can change beside the state of its own target: the table's word, unless its arguments and targets tell better. */
function reach(action: Action, targets: readonly TargetFacts[]): Traits<ActionKind>['reach'] {
  const most = TRAITS[action.do].reach
  if (most === 'app' && !targets.every((t) => t.app !== undefined)) return 'anywhere'
  switch (action.do) {
    case 'type':
      if (!targets.every(takesText) || action.submit !== undefined || /[\t\n\r]/.test(action.text ?? '')) return most
      return action.target === undefined ? 'nothing' : 'focus'
    case 'click':
      return action.button === 'left' && action.clickCount === 1 && !action.modifiers?.length && targets.every(stays) ? 'focus' : most
    case 'click_xy':
      return action.button === 'left' && action.clickCount === 1 && !action.modifiers?.length && targets.every(stays) ? 'focus' : most
    default:
      return most
  }
}

const takesText = (t: TargetFacts): boolean => t.app !== undefined && (t.states?.editable === true || TEXT.has(t.role))
const TEXT: ReadonlySet<string> = new Set(['textbox', 'searchbox', 'spinbutton'])

/** A click on one of these changes itself and the focus, and opens nothing. */
const stays = (t: TargetFacts): boolean => STAYING.has(t.role) && t.app !== undefined
const STAYING: ReadonlySet<string> = new Set(['checkbox', 'switch', 'radio', 'textbox', 'searchbox', 'spinbutton', 'slider'])

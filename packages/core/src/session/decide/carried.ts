import {
  copiesText,
  enters,
  pastesText,
  strokesOf,
  type Action,
  type Stroke,
  type TargetFacts,
  type TextSource,
} from '../../model/index.ts'
import { samePlace, takesText, UNKNOWN_SOURCE, type ScreenText } from '../../policy/index.ts'

/** Tells of the text that a call enters where else it was before: shown to agents there, copied there, or dragged from there. */
export class Carried {
  readonly #shown: ScreenText
  /** Where the clipboard was filled last; a person fills it unseen. */
  #clipboard: readonly TextSource[] = [UNKNOWN_SOURCE]

  constructor(shown: ScreenText) {
    this.#shown = shown
  }

  /** The places other than its targets that the call takes text from; `held` keys are down already. */
  from(action: Action, targets: readonly TargetFacts[], held: readonly string[] = []): readonly TextSource[] {
    const to = targets.map(placeOf)
    if (action.do === 'clipboard_write' || action.do === 'code') return []
    if (action.do === 'drag') {
      const [start, end] = to
      return start !== undefined && end !== undefined && !samePlace(start, end) ? [start] : []
    }
    const shown = enters(action).flatMap((text) => this.#shown.carried(text, to))
    return pastes(action, targets, held) ? [...shown, ...this.#pasted(action, to)] : shown
  }

  /** The call was let through: what it copies is on the clipboard from now on. */
  note(action: Action, targets: readonly TargetFacts[], held: readonly string[] = []): void {
    if (action.do === 'clipboard_write') this.#clipboard = this.#shown.carried(action.text)
    else if (copies(action, targets, held)) this.#clipboard = targets.slice(0, 1).map(placeOf)
  }

  /** The middle button pastes what is selected somewhere, which nothing tells. */
  #pasted(action: Action, to: readonly TextSource[]): readonly TextSource[] {
    const from = action.do === 'click' && action.button === 'middle' ? [UNKNOWN_SOURCE] : this.#clipboard
    return from.filter((source) => source.app === undefined || to.some((place) => !samePlace(source, place)))
  }
}

const placeOf = ({ app, window, url }: TargetFacts): TextSource => ({ app, window: window?.title, url })

export function copies(action: Action, targets: readonly TargetFacts[], down: readonly string[]): boolean {
  if (action.do === 'click') return named(targets, COPY)
  return strokesWith(action, down).some(copiesText)
}

export function pastes(action: Action, targets: readonly TargetFacts[], down: readonly string[]): boolean {
  if (action.do === 'click') return named(targets, PASTE) || (action.button === 'middle' && targets.some(takesText))
  return strokesWith(action, down).some(pastesText)
}

const strokesWith = (action: Action, down: readonly string[]): Stroke[] =>
  strokesOf(action).map(({ key, held }) => ({ key, held: [...down, ...held] }))
const named = ([target]: readonly TargetFacts[], words: RegExp): boolean => words.test(target?.name ?? '')

/** Entries of menus; those of other languages leave the clipboard's origin as it was. */
const COPY = /^_?(?:copy|cut|kopieren|ausschneiden|copier|couper|copiar|cortar)\b/i
const PASTE = /^_?(?:paste|einfügen|coller|pegar)\b/i

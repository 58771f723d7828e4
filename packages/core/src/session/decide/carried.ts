import { enters, type Action, type TargetFacts, type TextSource } from '../../model/index.ts'
import { samePlace, UNKNOWN_SOURCE, type ScreenText } from '../../policy/index.ts'
import { isMiddle, pastes, type Clipboard } from './clipboard.ts'

/** Tells of the text that a call enters where else it was before: shown to agents there, copied there, or dragged from there. */
export class Carried {
  readonly #shown: ScreenText
  readonly #clipboard: Pick<Clipboard, 'sources'>

  constructor(shown: ScreenText, clipboard: Pick<Clipboard, 'sources'>) {
    this.#shown = shown
    this.#clipboard = clipboard
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

  /** Of what the middle button pastes it is not known where it is selected. */
  #pasted(action: Action, to: readonly TextSource[]): readonly TextSource[] {
    const from = isMiddle(action) ? [UNKNOWN_SOURCE] : this.#clipboard.sources
    return from.filter((source) => source.app === undefined || to.some((place) => !samePlace(source, place)))
  }
}

export const placeOf = ({ app, window, url }: TargetFacts): TextSource => ({ app, window: window?.title, url })

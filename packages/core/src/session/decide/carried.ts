import { enters, type Action, type TargetFacts, type TextSource } from '../../model/index.ts'
import { samePlace, UNKNOWN_SOURCE, type Held, type ScreenText } from '../../policy/index.ts'
import { pressTargets } from '../see/press-targets.ts'
import { pastes, pastesSelection, type Clipboard } from './clipboard.ts'

/** Tells of the text that a call enters where else it was before: shown to agents there, copied there, or dragged from there. */
export class Carried {
  readonly #shown: ScreenText
  readonly #clipboard: Pick<Clipboard, 'sources'>

  constructor(shown: ScreenText, clipboard: Pick<Clipboard, 'sources'>) {
    this.#shown = shown
    this.#clipboard = clipboard
  }

  /** The places other than its targets that the call takes text from. */
  from(action: Action, targets: readonly TargetFacts[], held?: Held): readonly TextSource[] {
    const to = targets.map(placeOf)
    if (action.do === 'clipboard_write' || action.do === 'code') return []
    const dragged = draggedOver(action, targets, held)
    if (action.do === 'drag') return dragged
    const shown = enters(action).flatMap((text) => this.#shown.carried(text, to))
    return [
      ...dragged,
      ...shown,
      ...(pastes(action, targets, held?.keys) ? this.#pasted(pastesSelection(action, targets, held?.keys), to) : []),
    ]
  }

  /** Of what is selected somewhere it is not known where. */
  #pasted(isSelection: boolean, to: readonly TextSource[]): readonly TextSource[] {
    const from = isSelection ? [UNKNOWN_SOURCE] : this.#clipboard.sources
    return from.filter((source) => source.app === undefined || to.some((place) => !samePlace(source, place)))
  }
}

/** Where something is dragged from that is let go of in another place. */
function draggedOver(action: Action, targets: readonly TargetFacts[], held?: Held): TextSource[] {
  if (action.do !== 'drag' && action.do !== 'pointer') return []
  const presses = action.do === 'drag' ? 1 : pressTargets(action.events).filter((touch) => touch === 'press').length
  const starts = [held?.from, ...targets.slice(0, presses)].flatMap((t) => (t === undefined ? [] : [placeOf(t)]))
  const ends = targets.slice(presses).filter(({ reached }) => reached === undefined)
  return starts.filter((start) => ends.some((end) => !samePlace(start, placeOf(end))))
}

export const placeOf = ({ app, window, url }: TargetFacts): TextSource => ({ app, window: window?.title, url })

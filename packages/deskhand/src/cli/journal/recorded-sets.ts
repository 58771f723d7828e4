import type { RecordedCall } from '@deskhand/core/journal'
import { isKind, TRAITS, type TargetFacts } from '@deskhand/core/model'

/** Follows `ui.set` through a record, which has the looks and actions that it consists of, and no word of the value. */
export class RecordedSets {
  #open?: { look: RecordedCall; acted: boolean }

  /** Takes the next call of the record, or its end. Answers with the look of a set that found its control as it was to be, once that is known. */
  next(call?: RecordedCall): RecordedCall | undefined {
    const { tool, kind, targets } = call?.decided ?? {}
    const open = this.#open
    if (open !== undefined && tool === 'ui.set' && (kind !== 'describe' || targets?.[0]?.key === open.look.decided.targets[0]?.key)) {
      if (kind !== undefined && isKind(kind) && !TRAITS[kind].reads) open.acted = true
      return undefined
    }
    const isLook = tool === 'ui.set' && kind === 'describe' && call?.done?.status === 'success'
    this.#open = call !== undefined && isLook ? { look: call, acted: false } : undefined
    return open?.acted === false ? open.look : undefined
  }
}

/** What a toggle was at; a togglebutton without a name opens a list. */
export function toggleState({ role, name, states }: TargetFacts): boolean | undefined {
  const on = TOGGLES.has(role) || (role === 'togglebutton' && name) ? (states?.checked ?? states?.pressed) : undefined
  return typeof on === 'boolean' ? on : undefined
}

const TOGGLES: ReadonlySet<string> = new Set(['checkbox', 'switch', 'radio', 'menuitemcheckbox', 'menuitemradio'])

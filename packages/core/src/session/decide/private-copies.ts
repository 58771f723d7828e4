import { within, type Observe } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import { WINDOWS, type Action, type TargetFacts } from '../../model/index.ts'
import { takesText } from '../../policy/index.ts'
import type { LiveTree } from '../see/live-tree.ts'
import type { Resolved } from '../see/targets.ts'
import { copies, pastes } from './carried.ts'

const ASK_MS = 5_000

/** Follows what agents copy out of private fields: where it is put becomes private as well, and the clipboard is not read meanwhile. */
export class PrivateCopies {
  readonly #tree: LiveTree
  #isOnClipboard = false
  /** Applications in which a private field was operated: what is selected there can be pasted with the middle button, and copied by a menu. */
  readonly #apps = new Set<string>()

  constructor(tree: LiveTree) {
    this.#tree = tree
  }

  /** What is on the clipboard, unless that was copied out of a private field. */
  async readClipboard(observe: Observe, signal: AbortSignal): Promise<string> {
    if (this.#isOnClipboard)
      throw new DeskhandError('DENIED', 'what is on the clipboard was copied out of a private field', {
        next: 'Paste it where it belongs; the clipboard can be read again when something else was copied or written to it.',
      })
    return await observe.readClipboard(within(ASK_MS, signal))
  }

  /** A call is about to send input to these targets; `held` keys are down already. */
  acting(action: Action, targets: readonly Resolved[], held: readonly string[] = []): void {
    const facts = targets.map((t) => t.facts)
    const isEntry = facts.some(({ role }) => role.startsWith('menuitem'))
    const isPaste = isMiddle(action) ? this.#apps.size > 0 : this.#isOnClipboard && (isEntry || pastes(action, facts, held))
    const isDrag = (action.do === 'drag' || action.do === 'pointer') && facts.some(isPrivate)
    // Of a window whose focus is not known, not all that it shows is private from then on.
    const fields = facts.filter((f) => (f.reached === 'type' || takesText(f)) && !WINDOWS.has(f.role))
    if (isPaste || isDrag) for (const { key } of fields) if (key !== undefined) this.#tree.keepPrivate(key)
    if (action.do === 'clipboard_write') this.#isOnClipboard = false
    // Any entry of a menu may copy: what it is called depends on the language.
    const mayCopy = isEntry && facts.some(({ app }) => this.#apps.has(app?.id ?? ''))
    if (mayCopy || copies(action, facts, held)) this.#isOnClipboard = mayCopy || facts.some(isPrivate)
    for (const target of facts) if (isPrivate(target) && target.app !== undefined) this.#apps.add(target.app.id)
  }
}

const isPrivate = ({ states }: TargetFacts): boolean => states?.password === true

function isMiddle(action: Action): boolean {
  if (action.do === 'pointer') return action.events.some((e) => e.type === 'down' && e.button === 'middle')
  return (action.do === 'click' || action.do === 'click_xy') && action.button === 'middle'
}

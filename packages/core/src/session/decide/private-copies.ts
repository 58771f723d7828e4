import { within, type Observe } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import { WINDOWS, type Action, type TargetFacts } from '../../model/index.ts'
import { takesText, type Held, type ScreenText } from '../../policy/index.ts'
import type { LiveTree } from '../see/live-tree.ts'
import { copiesByName } from '../see/menu-words.ts'
import { placeOf } from './carried.ts'
import { copies, pastes, pastesSelection, type Clipboard } from './clipboard.ts'

const ASK_MS = 5_000

/** Follows what agents copy: what comes out of private fields is not read on the clipboard, and where it is put becomes private as well. */
export class PrivateCopies {
  readonly #tree: LiveTree
  readonly #shown: ScreenText
  readonly #clipboard: Clipboard
  /** Applications in which a private field was operated: what is selected there can be pasted with the middle button, and copied by a menu. */
  readonly #apps = new Set<string>()

  constructor(tree: LiveTree, shown: ScreenText, clipboard: Clipboard) {
    this.#tree = tree
    this.#shown = shown
    this.#clipboard = clipboard
  }

  /** What is on the clipboard, unless that may have been copied out of a private field. */
  async readClipboard(observe: Observe, signal: AbortSignal): Promise<string> {
    await this.#clipboard.look(signal)
    if (this.#clipboard.isPrivate)
      throw new DeskhandError('DENIED', 'what is on the clipboard was copied out of a private field', {
        next: 'Paste it where it belongs; the clipboard can be read again when something else was copied or written to it.',
      })
    return await observe.readClipboard(within(ASK_MS, signal))
  }

  /** A call is about to send input to these targets. */
  acting(action: Action, targets: readonly TargetFacts[], held?: Held): void {
    const keys = held?.keys
    const isEntry = targets.some(({ role }) => role.startsWith('menuitem'))
    const isPaste = pastesSelection(action, targets, keys)
      ? this.#apps.size > 0
      : this.#clipboard.isPrivate && (isEntry || pastes(action, targets, keys))
    const isDrag =
      (action.do === 'drag' || action.do === 'pointer') && [...targets, ...(held?.from === undefined ? [] : [held.from])].some(isPrivate)
    // Of a window whose focus is not known, not all that it shows is private from then on.
    const fields = targets.filter((f) => (f.reached === 'type' || takesText(f)) && !WINDOWS.has(f.role))
    if (isPaste || isDrag) for (const { key } of fields) if (key !== undefined) this.#tree.keepPrivate(key)
    // Any entry of a menu may copy: what it is called depends on the language.
    const mayCopy = targets.some((t) => this.#apps.has(t.app?.id ?? '') && (t.role.startsWith('menuitem') || copiesByName(t)))
    if (action.do === 'clipboard_write') this.#clipboard.filled(this.#shown.carried(action.text), false)
    else if (mayCopy || copies(action, targets, keys))
      this.#clipboard.filled(targets.slice(0, 1).map(placeOf), mayCopy || targets.some(isPrivate))
    for (const target of targets) if (isPrivate(target) && target.app !== undefined) this.#apps.add(target.app.id)
  }
}

const isPrivate = ({ states }: TargetFacts): boolean => states?.password === true

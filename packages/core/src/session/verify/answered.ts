import type { Observe } from '../../driver/driver.ts'
import { walk, type Action, type UiNode } from '../../model/index.ts'
import { check } from '../see/check.ts'
import type { LiveTree } from '../see/live-tree.ts'
import type { Resolved } from '../see/targets.ts'

/** A dialog counts as staying once its application answers and nothing has changed for so long. */
const STAYS_MS = 500
const MOST_MS = 3_000
/** So many of a dialog's elements are compared. */
const MOST_NODES = 400

/** A dialog that an action answers, as it was before. */
export interface Answered {
  key: string
  /** Enter, Escape or the default button: what is meant to close it. */
  ends: boolean
  face: string
  /** How often anything but the focus had changed. */
  substance: number
  dialogs: ReadonlySet<string>
}

/** The dialog that an action answers: a button in it is pressed, or Enter or Escape in it. */
export function answeredBy(action: Action, [target]: readonly Resolved[], tree: LiveTree): Answered | undefined {
  const dialog = target?.node === undefined || target.facts.region !== undefined ? undefined : dialogOf(target.node)
  const isPress = action.do === 'click' && action.button === 'left' && target?.node?.role === 'button'
  const isKey = endsByKey(action, target?.node)
  if (dialog === undefined || !(isPress || isKey)) return undefined
  const ends = isKey || target?.node?.states?.default === true
  return { key: dialog.key, ends, face: faceOf(dialog), substance: tree.substance, dialogs: dialogsOf(tree) }
}

/** What became of a dialog that was answered. */
export type Answer = 'closed' | 'asks' | 'changed' | 'same' | 'same, others changed'

/** Waits until a dialog has closed, asks something else, or stays. */
export async function answerOf(
  was: Answered,
  { tree, observe }: { tree: LiveTree; observe: Observe },
  signal: AbortSignal,
): Promise<Answer> {
  const end = performance.now() + MOST_MS
  for (;;) {
    await tree.sync()
    const dialog = tree.node(was.key)
    if (dialog === undefined || dialog.states?.visible === false) return 'closed'
    if ([...dialogsOf(tree)].some((key) => !was.dialogs.has(key))) return 'asks'
    const isSame = faceOf(dialog) === was.face
    if (!was.ends && (!isSame || tree.substance !== was.substance)) return 'changed'
    // Once it answers, it is through with what it was sent.
    await check(observe, was.key).catch(() => undefined)
    const stays = !(await tree.changed(STAYS_MS, signal)) || performance.now() > end
    if (!stays) continue
    if (!isSame) return 'changed'
    return tree.substance === was.substance ? 'same' : 'same, others changed'
  }
}

/** The dialog around a node, the outermost: GTK's file chooser is one in another. */
function dialogOf(node: UiNode): UiNode | undefined {
  let dialog: UiNode | undefined
  for (let n: UiNode | undefined = node; n !== undefined; n = n.parent)
    if (n.role === 'dialog' || n.role === 'alert' || (n.role === 'window' && n.states?.modal === true)) dialog = n
  return dialog
}

function dialogsOf(tree: LiveTree): Set<string> {
  const open = [...tree.places].filter((n) => n.states?.visible !== false && (n.role === 'dialog' || n.role === 'alert' || n.states?.modal))
  return new Set(open.map((n) => n.key))
}

/** Whether the last key of an action is one that ends a dialog. In a text of several lines Enter starts a line. */
function endsByKey(action: Action, node: UiNode | undefined): boolean {
  if (action.do === 'key') return /^(?:enter|return|escape|esc)$/i.test([action.keys].flat().at(-1) ?? '')
  if (action.do !== 'type' || node?.states?.multiline === true) return false
  return action.submit === 'Enter' || /[\n\r]$/.test(action.text ?? '')
}

/** Everything that a dialog shows, but not where the focus is. */
function faceOf(dialog: UiNode): string {
  const parts: unknown[] = []
  for (const { role, name, value, states } of walk([dialog])) {
    if (parts.length >= MOST_NODES) break
    const { focused: _, active: __, ...rest } = states ?? {}
    parts.push([role, name, value, rest])
  }
  return JSON.stringify(parts)
}

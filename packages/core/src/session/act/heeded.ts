import { setTimeout as sleep } from 'node:timers/promises'
import { walk, type Action, type UiNode } from '../../model/index.ts'
import { windowOf, type LiveTree } from '../see/live-tree.ts'
import type { Resolved } from '../see/targets.ts'

/** How long Chromium ignores input to a dialog of its own that has just come up, with some room. */
const IGNORED_MS = 650

/** Waits until a dialog that has only just come up heeds input. */
export async function untilHeeded([target]: readonly Resolved[], tree: LiveTree, signal: AbortSignal): Promise<void> {
  const dialog = target?.node && ownDialog(target.node)
  const since = dialog && tree.shownSince(dialog.key)
  const left = since === undefined ? 0 : since + IGNORED_MS - performance.now()
  if (left > 0) await sleep(left, undefined, { signal })
}

/** The dialog of the browser itself, and not of a page in it, that a node lies in or that its window shows. */
function ownDialog(node: UiNode): UiNode | undefined {
  if (node.app.toolkit === undefined || !/chrom/i.test(node.app.toolkit)) return undefined
  for (let n: UiNode | undefined = node; n !== undefined && n.role !== 'document'; n = n.parent) {
    if (n.role === 'dialog' || n.role === 'alert') return n
    if (n.role === 'window') return n.children.find((c) => c.states?.modal === true)
  }
  return undefined
}

/** How long a file manager may take until an entry that was clicked counts as selected, of which its status bar then tells. */
const SELECTED_MS = 300
const KEYBOARD: ReadonlySet<Action['do']> = new Set(['key', 'keys', 'type'])

/** When the click on an entry had been sent, and how often status bars had changed before it. */
export interface Selected {
  at: number
  statusTexts: number
}

/** A key that follows a click on an entry at once is for what is selected then: it waits until a status bar tells of that. */
export async function untilSelected(
  selected: Selected | undefined,
  { do: kind }: Action,
  tree: LiveTree,
  signal: AbortSignal,
): Promise<void> {
  if (selected === undefined || !KEYBOARD.has(kind)) return
  const window = tree.node(tree.activeWindow ?? '')
  const left = (): number => (tree.statusTexts === selected.statusTexts ? selected.at + SELECTED_MS - performance.now() : 0)
  if (window === undefined || left() <= 0 || !hasStatusBar(window)) return
  for (let ms = left(); ms > 0; ms = left()) await tree.changed(ms, signal)
}

function hasStatusBar(node: UiNode): boolean {
  for (const { role } of walk([windowOf(node) ?? node])) if (role === 'statusbar') return true
  return false
}

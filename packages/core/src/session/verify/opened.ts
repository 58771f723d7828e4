import { walk, type Principal, type UiNode } from '../../model/index.ts'
import { clip } from '../../selector/index.ts'
import { destroys } from '../../policy/index.ts'
import type { Snapshots } from '../see/snapshots.ts'
import { unreadKind } from '../see/unread.ts'

/** What an action opened, for the answer that tells of it. */
export interface Opened {
  elementId: string
  role: string
  name?: string
  modal?: boolean
  unread?: boolean
  defaultButton?: string
}

export function describeOpened(node: UiNode, snapshots: Snapshots, who: Principal): Opened {
  const { id, role, name } = snapshots.element(node, 1, who)
  const preset = defaultButton(node)
  return {
    elementId: id,
    role,
    ...(name !== undefined && { name }),
    ...(node.states?.modal && { modal: true }),
    ...(unreadKind(node) !== undefined && { unread: true }),
    ...(preset?.name !== undefined && { defaultButton: preset.name }),
  }
}

/** What Enter would press in a dialog that has just opened, where that destroys something. */
export function warningOf(node: UiNode): string {
  const preset = defaultButton(node)
  if (preset?.states?.enabled === false) return ''
  const texts = [node.name, ...textsOf(node)]
  const found = [preset?.name, ...texts].find((text) => text !== undefined && destroys(text))
  // What it would destroy may stand beside the question.
  const words = found === undefined || found === preset?.name ? found : (texts.find((text) => text?.trimEnd().endsWith('?')) ?? found)
  const answers = words === undefined || words === preset?.name ? '' : ` and so answer ${clip(words)}`
  return preset?.name === undefined || words === undefined ? '' : `\nEnter would press ${clip(preset.name)}${answers}`
}

function* textsOf(node: UiNode): Generator<string> {
  for (const { role, name, value } of walk([node])) {
    const text = name ?? value ?? ''
    // What ends with a colon names a field, one word the fields below it, and asks nothing.
    if ((role === 'label' || role === 'heading' || role === 'paragraph') && !/:\s*$|^\S*$/.test(text)) yield text
  }
}

/** The button that Enter presses: the one that says so, or the one that has the focus. */
function defaultButton(node: UiNode): UiNode | undefined {
  const buttons = [...walk([node])].filter((n) => n.role === 'button' && n.states?.visible !== false)
  return buttons.find((b) => b.states?.focused) ?? buttons.find((b) => b.states?.default)
}

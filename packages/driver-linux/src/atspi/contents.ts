import type { Role } from '@deskhand/core/model'
import { EDITABLE_TEXT, offers } from './names.ts'
import type { MirrorNode } from './node.ts'
import { ROLE, roleOf } from './roles.ts'
import { hasState } from './states.ts'

const EMBEDDED = '\uFFFC'

/** GTK 4 names what has no name after its class, and every tab "Tab", which means nothing to a reader. */
export function ownName(node: MirrorNode): string | undefined {
  if (node.name === '') return undefined
  if (!node.app.toolkit.isRelative) return node.name
  const generic = /^tab/.test(roleOf(node.role)) ? GENERIC_TAB : GENERIC
  return generic.test(node.name) ? undefined : node.name.replace(SAID_TWICE, '$1$2')
}

/** A button with a shortcut in its label, which GTK 4 names after that label as it is written and as it is read. */
const SAID_TWICE = /^(.*)_(.*) \1\2$/

const GENERIC = /^(?:Gtk|Adw)[A-Z]\w*$/
const GENERIC_TAB = /^(?:(?:Gtk|Adw)[A-Z]\w*|Tab(?: list)?)$/

/** What is written in a node that GTK 4 and Qt leave without a name; nothing where it holds more than a few texts. */
export const writtenIn = (node: MirrorNode): string | undefined => (takesContent(node) ? textsIn(node) : undefined)

function textsIn(node: MirrorNode): string | undefined {
  const texts: string[] = []
  const isText = (n: MirrorNode): boolean => {
    // A page of a stack that is not shown says that it is visible.
    if (hasNoSize(n) && !hasNoSize(node)) return true
    const role = roleOf(n.role)
    const name = ownName(n)
    if (role === 'label' && name !== undefined) return texts.push(name) <= MAX_TEXTS
    return (WRAPPERS.has(role) || role === 'label') && n.children.every(isText)
  }
  return node.children.every(isText) && texts.length > 0 ? texts.join(' ') : undefined
}

const hasNoSize = ({ area }: MirrorNode): boolean => area !== undefined && (area.w <= 0 || area.h <= 0)

/** Whether a node without a name of its own is called by what is written in it. */
export const takesContent = (node: MirrorNode): boolean => ownName(node) === undefined && NAMED_BY_CONTENT.has(roleOf(node.role))

const MAX_TEXTS = 6
const WRAPPERS: ReadonlySet<Role> = new Set<Role>(['group', 'panel', 'image', 'unknown'])
const NAMED_BY_CONTENT: ReadonlySet<Role> = new Set<Role>([
  'button',
  'togglebutton',
  'checkbox',
  'radio',
  'link',
  'listitem',
  'option',
  'menuitem',
  'tab',
  'treeitem',
  'row',
  'cell',
  'columnheader',
])

export function valueOf(node: MirrorNode): string | undefined {
  // Firefox says of everything in a page that its text could be edited.
  const text = hasState(node, 'editable') ? node.text : plain(node.text)
  if (text !== undefined && (isEditable(node) || text !== node.name)) return text
  if (node.number !== undefined) return String(node.number)
  if (node.role === ROLE.COMBO_BOX && node.app.toolkit.namesChoice) return node.name
  return node.role === ROLE.COMBO_BOX ? (node.chosen ?? optionIn(node)) : undefined
}

const optionIn = (box: MirrorNode): string | undefined => box.children[0]?.children.find((c) => hasState(c, 'selected'))?.name

/** Whether a node is told otherwise when something in it is. */
export const showsContent = (node: MirrorNode): boolean => takesContent(node) || node.role === ROLE.COMBO_BOX

const isEditable = (node: MirrorNode): boolean => offers(node.interfaces, EDITABLE_TEXT) || hasState(node, 'editable')

/** Without the marks that Chromium sets for elements inside a text; what is nothing else has no text of its own. */
function plain(text: string | undefined): string | undefined {
  if (text?.includes(EMBEDDED) !== true) return text
  const rest = text.replaceAll(EMBEDDED, '').trim()
  return rest === '' ? undefined : rest
}

/** What a node's own text says, beside the elements in it. */
export const ownText = (node: MirrorNode): string | undefined => plain(node.text)?.trim() || undefined

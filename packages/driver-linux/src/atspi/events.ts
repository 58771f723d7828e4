import type { Message, Variant } from '../dbus/index.ts'
import type { App } from './app.ts'
import { readItem } from './items.ts'
import { CACHE } from './names.ts'
import type { MirrorNode } from './node.ts'
import { ROLE } from './roles.ts'
import { fill } from './seed.ts'
import { setState } from './states.ts'

/** What an event makes necessary beside the change it carries. */
export interface Effects {
  /** A node looks different. */
  touched(node: MirrorNode): void
  /** A child appeared that is not known yet. */
  appeared(parent: MirrorNode, path: string, index: number): void
  gone(node: MirrorNode): void
  /** The children must be read again. */
  stale(parent: MirrorNode): void
  /** Its text or value is another one. */
  revalued(node: MirrorNode): void
  /** Its name or role is another one, and the event does not say which. */
  renamed(node: MirrorNode): void
  focused(node: MirrorNode): void
  /** A page has been loaded. */
  loaded(page: MirrorNode): void
  /** Something made on demand has the focus. */
  focusedAt(path: string): void
  /** An object spoke that the mirror does not know: something changed that was not told. */
  stranger(path: string): void
}

/** Registered with the registry, so that applications send them; `bounds-changed` is most of GTK 3's traffic and left out. */
export const EVENTS = [
  'object:children-changed',
  'object:state-changed',
  'object:property-change',
  'object:text-changed',
  'object:text-selection-changed',
  'object:selection-changed',
  'object:visible-data-changed',
  'object:active-descendant-changed',
  'window',
] as const

/** Takes one event of an application into its mirror. */
export function applyEvent(app: App, signal: Message, effects: Effects): void {
  if (signal.iface === CACHE) return applyCache(app, signal, effects)
  const body = signal.read('siiva{sv}') ?? signal.read('siiv(so)')
  const node = app.nodes.get(signal.path)
  if (body === undefined) return
  // A node that is just being read may have changed since it was asked.
  const [detail, one, , value] = body
  if (node === undefined) {
    if (signal.member === 'ChildrenChanged') app.stale.addAll()
    if (!isFarewell(signal.member, detail, one)) effects.stranger(signal.path)
    if (signal.member !== 'StateChanged' || one === 0) return
    if (detail.startsWith('focused')) effects.focusedAt(signal.path)
    if (detail === 'showing' && app.toolkit.hidesPopups) poppedUp(app, signal.path, effects)
    return
  }
  switch (signal.member) {
    case 'ChildrenChanged':
      return childrenChanged(app, node, detail, one, value, effects)
    case 'StateChanged':
      return stateChanged(app, node, detail, one !== 0, effects)
    case 'PropertyChange':
      return propertyChanged(node, detail, value, effects)
    case 'TextChanged':
    case 'TextSelectionChanged':
    case 'SelectionChanged':
      return effects.revalued(node)
    case 'ActiveDescendantChanged': {
      const path = pathIn(value, app.name)
      return path === undefined ? undefined : effects.focusedAt(path)
    }
    case 'VisibleDataChanged':
      return app.stale.addNode(node)
  }
}

/** What an object that is going away says last; its state or its children are of no interest any more. */
function isFarewell(member: string, detail: string, one: number): boolean {
  if (member === 'ChildrenChanged') return detail.startsWith('remove')
  return member === 'StateChanged' && (detail.startsWith('defunct') || one === 0)
}

function poppedUp(app: App, path: string, effects: Effects): void {
  app.popups.add(path)
  if (app.rootNode !== undefined) effects.stale(app.rootNode)
}

function applyCache(app: App, signal: Message, effects: Effects): void {
  if (signal.member === 'RemoveAccessible') {
    const path = signal.read('(so)')?.[0][1]
    const node = path === undefined ? undefined : app.nodes.get(path)
    if (node !== undefined && node.path !== app.root) effects.gone(node)
  } else if (signal.member === 'AddAccessible') {
    const item = readItem(signal)
    const known = item === undefined ? undefined : app.nodes.get(item.path)
    if (item === undefined) return
    if (known !== undefined) {
      if (fill(known, item)) effects.touched(known)
      return
    }
    const parent = app.nodes.get(item.parent)
    if (parent !== undefined && item.index >= 0) effects.appeared(parent, item.path, item.index)
  }
}

function childrenChanged(app: App, parent: MirrorNode, detail: string, index: number, value: Variant, effects: Effects): void {
  const path = pathIn(value, app.name)
  // GTK 4 names the application itself as the child when one of its windows opens.
  if (path === undefined || path === app.root) return effects.stale(parent)
  const child = app.nodes.get(path)
  if (detail.startsWith('remove')) {
    if (child !== undefined && child.parent === parent) effects.gone(child)
    return
  }
  if (child === undefined || child.parent === undefined) return effects.appeared(parent, path, index)
  if (parent.children[index] !== child) effects.stale(parent)
}

function stateChanged(app: App, node: MirrorNode, detail: string, on: boolean, effects: Effects): void {
  // GTK 3 and Qt send "focused", LibreOffice "focused:system".
  const name = detail.split(/[:/]/)[0] ?? ''
  if (name === 'defunct' && on) {
    if (node.path !== app.root) effects.gone(node)
    return
  }
  if (name === 'busy' && !on) effects.loaded(node)
  if (!setState(node, name, on)) return
  if (name === 'showing' || name === 'visible' || name === 'expanded') app.stale.addNode(node)
  // A menu that opens again while its last end is looked into.
  if (name === 'showing' && on && node.role === ROLE.POPUP_MENU && app.toolkit.hidesPopups) poppedUp(app, node.path, effects)
  effects.touched(node)
  if (name === 'focused' && on) effects.focused(node)
  const box = app.toolkit.namesChoice ? boxAround(node) : undefined
  if (box !== undefined) effects.renamed(box)
}

/** The combobox that something is in or is; Java and Qt do not tell when another entry is chosen in it. */
function boxAround(node: MirrorNode): MirrorNode | undefined {
  for (let n: MirrorNode | undefined = node; n !== undefined; n = n.parent) if (n.role === ROLE.COMBO_BOX) return n
  return undefined
}

function propertyChanged(node: MirrorNode, detail: string, value: Variant, effects: Effects): void {
  switch (detail) {
    case 'accessible-name':
      if (value.type !== 's' || typeof value.value !== 'string') return effects.renamed(node)
      node.name = value.value
      return effects.touched(node)
    case 'accessible-description':
      if (value.type === 's' && typeof value.value === 'string') node.description = value.value
      return effects.touched(node)
    case 'accessible-role':
      // GTK 3 sends the number that ATK has for the role, which is another one than AT-SPI's.
      return effects.renamed(node)
    case 'accessible-value':
      return effects.revalued(node)
  }
}

function pathIn(value: Variant, bus: string): string | undefined {
  if (value.type !== '(so)' || !Array.isArray(value.value)) return undefined
  const [name, path]: unknown[] = value.value
  return name === bus && typeof path === 'string' ? path : undefined
}

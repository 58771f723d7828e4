import type { Desktop } from './desktop.ts'
import { setFocus } from './focus.ts'
import { newText } from './input/editing.ts'
import { isInside, isLive, kindOf, type Element } from './model/element.ts'
import type { UiFile, VirtualInputElementDescription } from './model/ui-file.ts'
import { asText, cleanText, clampRange, setState } from './values.ts'
import { openWindow } from './windows.ts'

const DEFAULT_APP = 'virtual'
/** The window of elements that a plain list gives no window. It covers the screen, so their bounds are relative to the screen. */
const ROOT_WINDOW = 'virtual_window'

/** Replaces everything on the desktop by what the file describes. */
export function loadUi(desk: Desktop, ui: UiFile): void {
  for (const window of [...desk.windows]) removeElement(desk, window)
  desk.clock.clear()
  desk.requests.clear()
  desk.apps.clear()
  if (ui.screen) desk.resize(ui.screen)
  if (ui.theme) desk.theme = ui.theme
  if (ui.clipboard !== undefined) desk.clipboard = ui.clipboard
  const loose = ui.windows.filter((el) => kindOf(el.element_type).kind !== 'window')
  if (loose.length) {
    const root = {
      element_id: freeRoot(ui.windows),
      element_type: 'window',
      label_text: 'Virtual desktop',
      bounds_relative: [0, 0, 1, 1] as [number, number, number, number],
    }
    buildWindow(desk, { ...root, children: loose }, DEFAULT_APP, false)
  }
  for (const el of ui.windows) if (!loose.includes(el)) buildWindow(desk, el, DEFAULT_APP)
  desk.flush()
  for (const el of allElements(ui.windows)) if (el.is_focused) setFocus(desk, desk.byId.get(el.element_id))
}

/** Opens the windows that an application of the file consists of; undefined when there is no such application. */
export function launchApp(desk: Desktop, ui: UiFile, app: string): Element[] | undefined {
  const windows = ui.apps !== undefined && Object.hasOwn(ui.apps, app) ? ui.apps[app] : undefined
  return windows?.map((description) => {
    const running = desk.byId.get(description.element_id)
    if (running) openWindow(desk, running)
    return running ?? buildWindow(desk, description, app)
  })
}

/** Makes an element and everything in it, as the last child of `parent`. */
export function buildElement(
  desk: Desktop,
  description: VirtualInputElementDescription,
  parent: Element | undefined,
  app = parent?.app ?? DEFAULT_APP,
): Element {
  const el = newElement(desk, description, parent, app)
  desk.elements.set(el.key, el)
  if (!desk.byId.has(el.id)) desk.byId.set(el.id, el)
  parent?.children.push(el)
  for (const child of childrenOf(el, description)) buildElement(desk, child, el)
  initialValue(desk, el, description)
  if (parent) {
    desk.touch(el)
    desk.relayout(el)
  }
  return el
}

export function removeElement(desk: Desktop, el: Element): void {
  const live = isLive(el)
  const hadFocus = desk.focus !== undefined && isInside(desk.focus, el)
  if (live && el.node) desk.log.add({ type: 'gone', key: el.key })
  if (el.parent) {
    const parent = el.parent
    parent.children = parent.children.filter((c) => c !== el)
    parent.children.forEach((child, i) => {
      if (child.index === i) return
      child.index = i
      desk.touch(child)
    })
    desk.relayout(el)
    desk.touch(parent)
  } else {
    desk.windows = desk.windows.filter((w) => w !== el)
    desk.stack = desk.stack.filter((w) => w !== el)
  }
  desk.forget(el)
  if (hadFocus) setFocus(desk, undefined)
}

function buildWindow(desk: Desktop, description: VirtualInputElementDescription, app: string, decorated = true): Element {
  const owner = description.attributes?.app ?? app
  const el = buildElement(desk, description, undefined, owner)
  desk.apps.set(owner, { id: owner, name: owner, executable: `virtual:${owner}`, toolkit: 'avis' })
  desk.log.add({ type: 'app', app: { id: owner, name: owner, executable: `virtual:${owner}`, toolkit: 'avis' } })
  el.index = desk.windows.length
  el.frame = { open: false, mode: 'normal', decorated, rect: undefined, lastFocus: undefined }
  desk.windows.push(el)
  if (description.is_visible ?? true) openWindow(desk, el)
  return el
}

function newElement(desk: Desktop, d: VirtualInputElementDescription, parent: Element | undefined, app: string): Element {
  const { kind, role } = kindOf(d.element_type)
  const attributes = d.attributes ?? {}
  return {
    key: desk.nextKey(),
    id: d.element_id,
    type: d.element_type,
    kind: kind === 'window' && parent ? 'container' : kind,
    role,
    app,
    parent,
    children: [],
    index: parent?.children.length ?? 0,
    label: d.label_text ?? undefined,
    value: d.value,
    enabled: d.is_enabled ?? true,
    visible: parent ? (d.is_visible ?? true) : true,
    bounds: d.bounds_relative ?? undefined,
    attributes,
    checked: attributes.is_checked ?? false,
    selected: attributes.is_selected ?? false,
    expanded: attributes.is_expanded ?? false,
    text: undefined,
    frame: undefined,
    rect: { x: 0, y: 0, w: 0, h: 0 },
    clip: { x: 0, y: 0, w: 0, h: 0 },
    shown: false,
    caption: 0,
    popup: undefined,
    scroll: { x: 0, y: 0 },
    extent: { w: 0, h: 0 },
    followCaret: false,
    node: undefined,
  }
}

/** The file's children, and those that `options`, `columns` and `rows` stand for. */
function childrenOf(el: Element, d: VirtualInputElementDescription): VirtualInputElementDescription[] {
  const children = d.children ?? []
  const { options, columns, rows } = el.attributes
  if (children.length) return children
  if (options && (el.kind === 'select' || el.kind === 'list')) {
    return options.map((label, i) => ({ element_id: `${el.id}[${i}]`, element_type: 'option', label_text: label }))
  }
  if (el.kind !== 'table') return children
  const cells = (id: string, labels: string[], type: string): VirtualInputElementDescription[] =>
    labels.map((label, i) => ({ element_id: `${id}[${i}]`, element_type: type, label_text: label }))
  const row = (id: string, labels: string[], type: string): VirtualInputElementDescription => ({
    element_id: id,
    element_type: 'row',
    children: cells(id, labels, type),
  })
  const header = columns ? [row(`${el.id}[header]`, columns, 'column_header')] : []
  return [...header, ...(rows ?? []).map((labels, i) => row(`${el.id}[${i}]`, labels, 'cell'))]
}

function initialValue(desk: Desktop, el: Element, d: VirtualInputElementDescription): void {
  if (el.kind === 'text') el.text = newText(cleanText(el, asText(d.value)))
  else if (el.kind === 'range') {
    el.value = clampRange(el, Number(d.value) || 0)
    if (el.role === 'spinbutton') el.text = newText(String(el.value))
  } else if (d.value !== undefined && d.value !== null) setState(desk, el, d.value)
  if (el.kind === 'tabs' && !el.children.some((c) => c.selected) && el.children[0]) el.children[0].selected = true
}

function freeRoot(elements: VirtualInputElementDescription[]): string {
  const used = new Set([...allElements(elements)].map((el) => el.element_id))
  let id = ROOT_WINDOW
  while (used.has(id)) id += '_'
  return id
}

function* allElements(list: VirtualInputElementDescription[]): Generator<VirtualInputElementDescription> {
  for (const el of list) {
    yield el
    yield* allElements(el.children ?? [])
  }
}

import type { Rect, Role } from '@deskhand/core/model'
import type { App } from './app.ts'
import { boxBeside } from './box-labels.ts'
import { loadInterfaces } from './describe.ts'
import { placeEntry } from './entries.ts'
import { shownText } from './input-line.ts'
import { hideUnshownRows } from './list-rows.ts'
import { loadLocalArea, localBounds } from './local.ts'
import { ACCESSIBLE, ACTION, COMPONENT, DOCUMENT, EDITABLE_TEXT, HYPERLINK, NULL_PATH, SELECTION, TEXT, VALUE, offers } from './names.ts'
import type { MirrorNode } from './node.ts'
import { ROLE, roleOf } from './roles.ts'
import { shortcutsIn } from './shortcuts.ts'
import { hasState } from './states.ts'
import { loadStyle } from './style.ts'

const LABELLED_BY = 2
const SCREEN = 0
const WINDOW = 1
/** AT-SPI's way of saying that there is no place. */
const NOWHERE = -0x40000000

/** LibreOffice gives everything a number. */
const RANGES: ReadonlySet<Role> = new Set<Role>(['slider', 'spinbutton', 'progressbar', 'scrollbar', 'dialog', 'group'])

/** A page can hold all of itself in its address. */
const MAX_URL = 2_000

const MAX_FORMULA = 2_000

/** So few nodes of a large application are asked for everything, shown or not. */
const FEW = 300

export interface Wanted {
  bounds?: boolean
  actions?: boolean
  value?: boolean
}

/** Asks the application for what its cache does not hold. A node that does not answer keeps what is known. */
export async function loadDetails(app: App, wantedNodes: Iterable<MirrorNode>, wanted: Wanted): Promise<void> {
  const calls: Promise<void>[] = []
  const all = [...wantedNodes].filter((n) => n.path !== app.root)
  const nodes = app.isLarge && all.length > FEW ? all.filter((n) => n.isShown) : all
  await Promise.all(nodes.filter((n) => n.interfaces === undefined).map((n) => quietly(() => loadInterfaces(app, n))))
  // Whether what is in them shows hangs on their places.
  const holders = new Set(wanted.bounds === true && app.toolkit.showsFolded ? nodes.filter((n) => hasState(n, 'manages-descendants')) : [])
  await Promise.all([...holders].map((n) => loadBounds(app, n)))
  for (const node of nodes) {
    if (wanted.bounds === true && !holders.has(node) && offers(node.interfaces, COMPONENT)) calls.push(loadBounds(app, node))
    if (wanted.actions === true && node.actions === undefined && offers(node.interfaces, ACTION)) calls.push(loadActions(app, node))
    if (wanted.value === true || !node.isValued) calls.push(...loadValue(app, node))
    if ((wanted.value === true || node.url === undefined) && node.role === ROLE.DOCUMENT_WEB) calls.push(loadUrl(app, node))
    // Of a large page only what is looked at by itself: it has thousands of links.
    const isDue = wanted.value === true ? nodes.length <= FEW : node.destination === undefined && !app.isLarge
    if (isDue && offers(node.interfaces, HYPERLINK)) calls.push(loadDestination(app, node))
  }
  await Promise.all(calls)
  if (wanted.bounds === true && app.toolkit.keepsUnshownRows) {
    await hideUnshownRows(app, nodes)
    for (const node of nodes) locate(node)
  }
  if (wanted.bounds === true && app.toolkit.isDisplaced && !app.isLocal) for (const node of nodes) unshift(node)
  if (wanted.bounds === true && app.toolkit.misplacesEntries) for (const node of nodes) if (node.isMisplaced) placeEntry(node)
}

/** The nodes of an application that may hold a value and were not asked for it, as they are not shown. */
export function unreadValues(app: App): MirrorNode[] {
  return [...app.nodes.values()].filter((n) => !n.isValued && n.isRead && n.path !== app.root && !n.isShown && mayHoldValue(n))
}

function mayHoldValue(node: MirrorNode): boolean {
  const may = (name: typeof VALUE | typeof TEXT | typeof SELECTION): boolean =>
    node.interfaces === undefined || offers(node.interfaces, name)
  const isRange = node.interfaces === undefined ? isLabelled(node) : RANGES.has(roleOf(node.role))
  if (may(VALUE) && isRange) return true
  if (may(TEXT) && hasOwnText(node)) return true
  return (node.role === ROLE.COMBO_BOX && may(SELECTION)) || (node.name === '' && isLabelled(node))
}

function loadBounds(app: App, node: MirrorNode): Promise<void> {
  if (app.toolkit.isRelative) return loadArea(app, node)
  if (!node.isShowing || node.isUnplaced) {
    node.bounds = undefined
    return Promise.resolve()
  }
  return quietly(async () => {
    if (app.isLocal) {
      await loadLocalArea(app, node)
      return locate(node)
    }
    const [told] = await app.call(node.path, COMPONENT, 'GetExtents', 'u', [SCREEN], '(iiii)')
    const { scale: s } = node
    const [x, y, w, h] = [told[0] * s, told[1] * s, told[2] * s, told[3] * s]
    if (node.isMisplaced) return void (node.area = { x, y, w, h })
    if (!app.toolkit.isDisplaced) return void (node.bounds = toRect(x, y, w, h))
    if (node.role === ROLE.PANEL || node.role === ROLE.FILLER) node.isNative ??= await isNative(app, node)
    node.area = { x, y, w, h }
  })
}

/** LibreOffice counts the places of what it draws itself from the top of its window, as if the menu bar were not there. */
function unshift(node: MirrorNode): void {
  const { area } = node
  if (area === undefined || !node.isShowing) return void (node.bounds = undefined)
  let [dx, dy] = [0, 0]
  for (let n: MirrorNode | undefined = node; n !== undefined && n.isNative !== true; n = n.parent) {
    const [inner, outer] = [n.area, n.parent?.area]
    if (n.role !== ROLE.ROOT_PANE || inner === undefined || outer === undefined) continue
    ;[dx, dy] = [outer.x - inner.x, outer.y - inner.y]
    break
  }
  node.bounds = toRect(area.x + dx, area.y + dy, area.w, area.h)
}

/** Only GTK's own widgets say which toolkit they are of. */
async function isNative(app: App, node: MirrorNode): Promise<boolean> {
  const [attributes] = await app.call(node.path, ACCESSIBLE, 'GetAttributes', '', [], 'a{ss}')
  return [...attributes].some(([name, value]) => name === 'toolkit' && value === 'gtk')
}

function loadArea(app: App, node: MirrorNode): Promise<void> {
  return quietly(async () => {
    const [[x, y, w, h]] = await app.call(node.path, COMPONENT, 'GetExtents', 'u', [WINDOW], '(iiii)')
    node.area = { x, y, w, h }
    locate(node)
  })
}

/** Works out where a node is from its place in its window or popover; GTK 4 draws a shadow around a window, which X counts in. */
export function locate(node: MirrorNode): void {
  if (!node.app.toolkit.isRelative) {
    const at = node.isShowing && !node.isUnplaced ? localBounds(node) : undefined
    return void (node.bounds = at && toRect(at.x, at.y, at.w, at.h))
  }
  const surface = surfaceOf(node)
  const { place, area: frame } = surface ?? {}
  if (place === undefined || frame === undefined || node.area === undefined || !node.isShown) return void (node.bounds = undefined)
  const { x, y, w, h } = node.area
  const { scale: s } = node.app
  const left = place.x + (place.w - frame.w * s) / 2
  const top = place.y + (place.h - frame.h * s) / 2
  node.bounds = toRect(left + (x - frame.x) * s, top + (y - frame.y) * s, w * s, h * s)
}

/** The nearest node around this one that has an X window of its own. */
function surfaceOf(node: MirrorNode): MirrorNode | undefined {
  for (let n: MirrorNode | undefined = node; n !== undefined; n = n.parent) if (n.place !== undefined || n.isPopover) return n
  return undefined
}

/** Unknown bounds are absent, not zero. */
export function toRect(x: number, y: number, w: number, h: number): Rect | undefined {
  return w > 0 && h > 0 && x > NOWHERE && y > NOWHERE ? { x, y, w, h } : undefined
}

/** The address of a page; WebKit calls it otherwise than Chromium and Firefox. */
function loadUrl(app: App, node: MirrorNode): Promise<void> {
  return quietly(async () => {
    for (const name of ['URI', 'DocURL']) {
      const [url] = await app.call(node.path, DOCUMENT, 'GetAttributeValue', 's', [name], 's')
      node.url = url === '' ? undefined : url.slice(0, MAX_URL)
      if (node.url !== undefined) return
    }
  })
}

/** Where a link leads, as far as the application tells. */
function loadDestination(app: App, node: MirrorNode): Promise<void> {
  return quietly(async () => {
    const [uri] = await app.call(node.path, HYPERLINK, 'GetURI', 'i', [0], 's')
    node.destination = uri.slice(0, MAX_URL)
  })
}

function loadActions(app: App, node: MirrorNode): Promise<void> {
  return quietly(async () => {
    const [actions] = await app.call(node.path, ACTION, 'GetActions', '', [], 'a(sss)')
    node.actions = actions.slice(0, 50).map(([name]) => name.slice(0, 100))
    node.shortcuts = actions.slice(0, 50).flatMap(([, , binding]) => shortcutsIn(binding))
  })
}

function loadValue(app: App, node: MirrorNode): Promise<void>[] {
  node.isValued = true
  const calls: Promise<void>[] = []
  if (offers(node.interfaces, VALUE) && RANGES.has(roleOf(node.role))) calls.push(loadNumber(app, node))
  if (offers(node.interfaces, TEXT) && hasOwnText(node)) calls.push(loadText(app, node))
  else if (node.isShown) calls.push(quietly(() => loadStyle(app, node)))
  if (node.role === ROLE.COMBO_BOX && offers(node.interfaces, SELECTION)) calls.push(loadChosen(app, node))
  if (node.name === '' && node.label === undefined && isLabelled(node)) calls.push(loadLabel(app, node))
  return calls
}

/** A label's text is its name; only what can hold another text is worth asking. A password's text is never asked for. */
function hasOwnText(node: MirrorNode): boolean {
  if (node.role === ROLE.PASSWORD_TEXT) return false
  const role = roleOf(node.role)
  return (
    offers(node.interfaces, EDITABLE_TEXT) ||
    hasState(node, 'editable') ||
    role === 'textbox' ||
    role === 'terminal' ||
    // Chromium tells what a page made a drop-down list of only as the text in it.
    (role === 'combobox' && node.app.toolkit.isTerse) ||
    (node.name === '' && (role === 'label' || role === 'paragraph' || role === 'document' || role === 'cell' || role === 'heading'))
  )
}

function isLabelled(node: MirrorNode): boolean {
  if (boxBeside(node) !== undefined) return true
  const role = roleOf(node.role)
  return role === 'textbox' || role === 'combobox' || role === 'spinbutton' || role === 'slider' || role === 'checkbox' || role === 'switch'
}

function loadNumber(app: App, node: MirrorNode): Promise<void> {
  return quietly(async () => {
    const [now, range] = await Promise.all([app.get(node.path, VALUE, 'CurrentValue', 'd'), loadRange(app, node)])
    node.number = now
    node.range = range
  })
}

/** Limits that no person would set stand for none. */
const LIMITLESS = 1e12

async function loadRange(app: App, node: MirrorNode): Promise<MirrorNode['range']> {
  const ask = (name: string): Promise<number | undefined> => app.get(node.path, VALUE, name, 'd').catch(() => undefined)
  const [valueMin, valueMax, step] = await Promise.all([ask('MinimumValue'), ask('MaximumValue'), ask('MinimumIncrement')])
  const isTold = (n: number | undefined): n is number => n !== undefined && Math.abs(n) < LIMITLESS
  if (!isTold(valueMin) || !isTold(valueMax) || valueMin >= valueMax) return undefined
  return { valueMin, valueMax, ...(isTold(step) && step > 0 ? { valueStep: step } : {}) }
}

export function loadText(app: App, node: MirrorNode): Promise<void> {
  return quietly(async () => {
    const [text] = await app.call(node.path, TEXT, 'GetText', 'ii', [0, app.toolkit.endOfText], 's')
    // Only LibreOffice has cells in places of their own that compute.
    const isSheet = app.toolkit.isDisplaced && node.cell !== undefined
    node.text = isSheet ? await shownText(app, node, text) : text
    node.selection = hasState(node, 'focused') ? await selectionOf(app, node, node.text) : undefined
    node.formula = node.text !== '' && isSheet ? await formulaOf(app, node) : undefined
    if (node.isShown) await quietly(() => loadStyle(app, node))
  })
}

/** LibreOffice tells a formula without the sign that it begins with. */
async function formulaOf(app: App, node: MirrorNode): Promise<string | undefined> {
  const [attributes] = await app.call(node.path, ACCESSIBLE, 'GetAttributes', '', [], 'a{ss}')
  const formula = [...attributes].find(([name]) => name === 'Formula')?.[1] ?? ''
  if (formula === '') return undefined
  // It ends its own text at the first colon, behind the backslash that was to protect it.
  const known = formula.endsWith('\\') ? `${formula.slice(0, -1)}…` : formula
  return `${known.startsWith('=') ? '' : '='}${known}`.slice(0, MAX_FORMULA)
}

/** Which part of its text is selected, counted as JavaScript counts. */
async function selectionOf(app: App, node: MirrorNode, text: string): Promise<MirrorNode['selection']> {
  const [start, end] = await app.call(node.path, TEXT, 'GetSelection', 'i', [0], 'ii').catch(() => [0, 0] as const)
  if (start < 0 || end <= start) return undefined
  if (app.toolkit.countsUtf16) return { selectionStart: start, selectionEnd: end }
  const characters = [...text]
  const units = (count: number): number => characters.slice(0, count).join('').length
  return { selectionStart: units(start), selectionEnd: units(end) }
}

function loadChosen(app: App, node: MirrorNode): Promise<void> {
  return quietly(async () => {
    const [[bus, path]] = await app.call(node.path, SELECTION, 'GetSelectedChild', 'i', [0], '(so)')
    node.chosen = bus === app.name && path !== NULL_PATH ? await app.get(path, ACCESSIBLE, 'Name', 's') : undefined
  })
}

function loadLabel(app: App, node: MirrorNode): Promise<void> {
  return quietly(async () => {
    const { path: from } = boxBeside(node) ?? node
    const [relations] = await app.call(from, ACCESSIBLE, 'GetRelationSet', '', [], 'a(ua(so))')
    const [bus, path] = relations.find(([kind]) => kind === LABELLED_BY)?.[1][0] ?? []
    node.label = bus === app.name && path !== undefined && path !== NULL_PATH ? await app.get(path, ACCESSIBLE, 'Name', 's') : ''
  })
}

async function quietly(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch {
    // What is gone or hung is told by the event or the deadline that belongs to it.
  }
}

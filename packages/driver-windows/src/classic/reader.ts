import type { States } from '@deskhand/core/model'
import type { Face, WinNode } from '../node.ts'
import { user32 } from '../win32/api.ts'
import type { Handle } from '../win32/library.ts'
import { ask, textIn } from '../win32/message.ts'
import { childrenOf, classOf, ownerOf, rectOf, rootOf, styleOf, titleOf } from '../win32/window.ts'
import { entriesOf } from './entries.ts'
import { menuBar } from './menu.ts'
import { type Reading, answered, fillByMsaa, keyOf, memoryFor } from './reading.ts'
import { controlRole, isDefaultButton, isMultiline, isPassword, isReadOnly, shown } from './roles.ts'
import { describeValue } from './values.ts'

/** A top-level window by what the window system knows of it; its application is not asked. */
export function readFrame(h: Handle, { app, pid }: Reading): WinNode {
  const name = titleOf(h)
  const windowClass = classOf(h)
  const isModal = ownerOf(h) !== 0 && user32.IsWindowEnabled(ownerOf(h)) === 0
  const role =
    windowClass === '#32768' ? 'menu' : windowClass === 'tooltips_class32' ? 'tooltip' : isDialog(h, windowClass) ? 'dialog' : 'window'
  const states: States = {
    enabled: user32.IsWindowEnabled(h) !== 0,
    visible: user32.IsIconic(h) === 0,
    active: user32.GetForegroundWindow() === h,
    ...(isModal && { modal: true }),
  }
  return {
    key: keyOf(h, pid),
    app,
    hwnd: h,
    face: {
      role,
      name,
      ...(user32.IsIconic(h) === 0 && { bounds: rectOf(h) }),
      states,
      platformIds: { windowHandle: handleText(h) },
      attributes: { class: windowClass },
    },
    children: [],
  }
}

const isDialog = (h: Handle, windowClass: string): boolean => windowClass === '#32770' && (ownerOf(h) !== 0 || (styleOf(h) & 0x80000) !== 0)

export const handleText = (h: Handle): string => `0x${h.toString(16)}`

/** Everything inside a window, by its classic controls. */
export function readControls(frame: WinNode, reading: Reading): void {
  const menu = menuBar(frame, reading)
  if (menu !== undefined) frame.children.push(menu)
  readChildren(frame, frame.hwnd, reading, frame.face.states.enabled !== false)
  if (frame.children.every(({ face }) => face.role === 'menubar')) fillByMsaa(frame, reading)
}

function readChildren(parent: WinNode, h: Handle, reading: Reading, isEnabled: boolean): void {
  // The first one lies on top; in dialogs the order is that of the Tab key.
  const controls = childrenOf(h)
  controls.forEach((child, at) => {
    if (user32.IsWindowVisible(child) === 0) return
    const node = readControl(child, labelBefore(controls, at), reading, isEnabled)
    node.parent = parent
    parent.children.push(node)
    if (WHOLE.has(node.face.role)) return
    readChildren(node, child, reading, isEnabled && user32.IsWindowEnabled(child) !== 0)
    if (node.face.role === 'panel' && node.children.length === 0) fillByMsaa(node, reading)
  })
}

/** What consists of windows that are no elements of their own. */
const WHOLE: ReadonlySet<string> = new Set(['combobox'])

/** The text in front of a field names it. */
function labelBefore(controls: readonly Handle[], at: number): Handle | undefined {
  const before = controls[at - 1]
  // A spin button belongs to the field in front of it.
  if (before !== undefined && classOf(before) === 'Edit' && classOf(controls[at] ?? 0) === 'msctls_updown32')
    return labelBefore(controls, at - 1)
  return before !== undefined && controlRole(classOf(before), styleOf(before)) === 'label' ? before : undefined
}

function readControl(h: Handle, label: Handle | undefined, reading: Reading, isParentEnabled: boolean): WinNode {
  const [windowClass, style] = [classOf(h), styleOf(h)]
  const role = controlRole(windowClass, style)
  const enabled = isParentEnabled && user32.IsWindowEnabled(h) !== 0
  const face: WinNode['face'] = { role, bounds: rectOf(h), states: role === 'label' ? {} : { enabled, visible: true } }
  const id = user32.GetDlgCtrlID(h)
  face.platformIds = { windowHandle: handleText(h), ...(id > 0 && { legacyId: String(id), automationId: String(id) }) }
  face.attributes = { class: windowClass }
  const node: WinNode = { key: keyOf(h, reading.pid), app: reading.app, hwnd: h, face, children: [] }
  describe(node, style, label)
  if (HOLDS_VALUE.has(role)) describeValue(node, windowClass, style, memoryFor(reading))
  for (const entry of entriesOf(node, style, reading)) {
    entry.parent = node
    node.children.push(entry)
  }
  return node
}

/** Roles of controls that hold a number or a date. */
const HOLDS_VALUE: ReadonlySet<string> = new Set(['slider', 'spinbutton', 'progressbar', 'calendar'])
const BM_GETCHECK = 0xf0
const FOCUSABLE: ReadonlySet<string> = new Set([
  'button',
  'checkbox',
  'radio',
  'togglebutton',
  'textbox',
  'combobox',
  'listbox',
  'list',
  'table',
  'tree',
  'slider',
])

function describe({ hwnd, face }: WinNode, style: number, label: Handle | undefined): void {
  const { role, states } = face
  const own = role === 'textbox' && isPassword(style) ? '' : answered(textIn(hwnd))
  if (FOCUSABLE.has(role)) states.focusable = true
  switch (role) {
    case 'textbox':
      named(face, label)
      states.editable = !isReadOnly(style)
      if (isMultiline(style)) states.multiline = true
      if (isPassword(style)) states.password = true
      else face.value = own.replaceAll('\r\n', '\n')
      face.actions = ['focus', 'setText']
      return
    case 'combobox':
      named(face, label)
      face.value = own
      // A drop-down list has no field of its own to type into.
      states.editable = (style & 3) !== 3
      states.expanded = answered(ask(hwnd, CB_GETDROPPEDSTATE)) !== 0
      face.actions = ['expand', 'collapse', 'focus']
      return
    case 'checkbox':
    case 'radio':
    case 'togglebutton': {
      const check = answered(ask(hwnd, BM_GETCHECK))
      states.checked = check === 2 ? 'mixed' : check === 1
      caption(face, own)
      face.actions = ['press', 'focus']
      return
    }
    case 'button':
      caption(face, own)
      if (isDefaultButton(style)) states.default = true
      face.actions = ['press', 'focus']
      return
    case 'listbox':
    case 'list':
    case 'table':
    case 'tree':
    case 'slider':
    case 'spinbutton':
    case 'progressbar':
    case 'calendar':
    case 'tablist':
      return named(face, label)
    default:
      caption(face, own)
  }
}

const CB_GETDROPPEDSTATE = 0x157

function caption(face: Face, own: string): void {
  const { text, mnemonic } = shown(own)
  if (text !== '') face.name = text
  if (mnemonic !== undefined && face.role !== 'label') face.shortcuts = [`alt+${mnemonic}`]
}

function named(face: Face, label: Handle | undefined): void {
  if (label === undefined) return
  const { text, mnemonic } = shown(titleOf(label) || answered(textIn(label)))
  face.name = text.replace(/\s*:$/, '')
  if (mnemonic !== undefined) face.shortcuts = [`alt+${mnemonic}`]
}

/** The element for a window that has the keyboard: a part of a compound control stands for the whole. */
export function nodeOfWindow(byHandle: ReadonlyMap<Handle, WinNode>, h: Handle): WinNode | undefined {
  for (let at = h; at !== 0; at = user32.GetAncestor(at, 1)) {
    const node = byHandle.get(at)
    if (node !== undefined) return node
    if (at === rootOf(at)) return undefined
  }
  return undefined
}

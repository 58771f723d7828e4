import type { WinNode } from '../node.ts'
import { user32 } from '../win32/api.ts'
import { readRect, styleOf, STYLE } from '../win32/window.ts'
import { type Reading, keyOf } from './reading.ts'
import { shown } from './roles.ts'

const BY_POSITION = 0x400
const [GRAYED, CHECKED, POPUP, SEPARATOR] = [3, 8, 0x10, 0x800]
const OBJID_MENU = -3
/** Menus that hold each other would never end. */
const DEEPEST = 6

/** The menu bar of a window and everything in it; Wine tells other processes nothing of what a menu holds. */
export function menuBar(frame: WinNode, reading: Reading): WinNode | undefined {
  const { hwnd, app } = frame
  if ((styleOf(hwnd) & STYLE.CHILD) !== 0) return undefined
  const menu = user32.GetMenu(hwnd)
  if (menu === 0) return undefined
  const info = Buffer.alloc(48)
  info.writeUInt32LE(48, 0)
  const bounds = user32.GetMenuBarInfo(hwnd, OBJID_MENU, 0, info) === 0 ? undefined : readRect(info.subarray(4))
  const bar: WinNode = {
    key: `${keyOf(hwnd, reading.pid)}/menu`,
    app,
    hwnd,
    face: {
      role: 'menubar',
      ...(bounds !== undefined && bounds.w > 0 && { bounds }),
      states: { enabled: frame.face.states.enabled, visible: true },
    },
    parent: frame,
    children: [],
  }
  addItems(bar, menu, reading, 0)
  return bar
}

function addItems(parent: WinNode, menu: number, reading: Reading, depth: number): void {
  const count = user32.GetMenuItemCount(menu)
  if (count < 0) return void reading.gaps.add(`the menu of a window cannot be read (GetMenuItemCount answered ${count})`)
  for (let at = 0; at < count && depth < DEEPEST; at++) {
    const state = user32.GetMenuState(menu, at, BY_POSITION)
    if ((state & SEPARATOR) !== 0 && (state & POPUP) === 0) continue
    const item = itemAt(parent, menu, at, state)
    parent.children.push(item)
    const below = user32.GetSubMenu(menu, at)
    if (below !== 0) addItems(item, below, reading, depth + 1)
  }
}

function itemAt(parent: WinNode, menu: number, at: number, state: number): WinNode {
  const buffer = Buffer.alloc(512)
  const { text, mnemonic } = shown(buffer.toString('utf16le', 0, 2 * user32.GetMenuStringW(menu, at, buffer, 256, BY_POSITION)))
  const place = Buffer.alloc(16)
  // Without a window Windows takes the one that shows the menu, if any does.
  const shower = parent.face.role === 'menubar' ? parent.hwnd : 0
  const bounds = user32.GetMenuItemRect(shower, menu, at, place) === 0 ? undefined : readRect(place)
  const isMenu = (state & POPUP) !== 0
  const id = user32.GetMenuItemID(menu, at)
  return {
    key: `${parent.key}.${at}`,
    app: parent.app,
    hwnd: parent.hwnd,
    ...(!isMenu && { entry: id }),
    face: {
      role: isMenu ? 'menu' : (state & CHECKED) !== 0 ? 'menuitemcheckbox' : 'menuitem',
      name: text,
      ...(bounds !== undefined && bounds.w > 0 && { bounds }),
      states: {
        enabled: (state & GRAYED) === 0,
        visible: bounds !== undefined && bounds.w > 0,
        ...((state & CHECKED) !== 0 && { checked: true }),
      },
      ...(mnemonic !== undefined && parent.face.role === 'menubar' && { shortcuts: [`alt+${mnemonic}`] }),
      ...(!isMenu && { platformIds: { legacyId: String(id) }, actions: ['press'] }),
    },
    parent,
    children: [],
  }
}

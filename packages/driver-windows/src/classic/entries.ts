import { intersect, type Rect } from '@deskhand/core/model'
import type { WinNode } from '../node.ts'
import { user32 } from '../win32/api.ts'
import type { Handle } from '../win32/library.ts'
import { ask, askWith } from '../win32/message.ts'
import type { RemoteMemory } from '../win32/remote.ts'
import { childrenOf, classOf, ownerThread, rectOf, toScreen } from '../win32/window.ts'
import { statusParts, toolbarButtons } from './bars.ts'
import { entry } from './entry.ts'
import { columnHeaders, listView } from './list-view.ts'
import { answered, fillByMsaa, memoryFor, type Reading } from './reading.ts'
import { treeView } from './tree-view.ts'
import { tabs } from './values.ts'

const LB = { GETSEL: 0x187, GETCURSEL: 0x188, GETTEXT: 0x189, GETTEXTLEN: 0x18a, GETCOUNT: 0x18b, GETTOPINDEX: 0x18e, GETITEMRECT: 0x198 }
const CB = { GETCOUNT: 0x146, GETCURSEL: 0x147, GETLBTEXT: 0x148, GETLBTEXTLEN: 0x149, GETDROPPEDSTATE: 0x157 }
const [OWNER_DRAWN, HAS_STRINGS, SEVERAL] = [0x30, 0x40, 0x808]
const CB_HAS_STRINGS = 0x200

/** The texts of a long list are read once, and again when their number changes; those on the screen every time. */
const texts = new Map<string, string[]>()

/** The entries of a list, a drop-down list or another control that has some. */
export function entriesOf(node: WinNode, style: number, reading: Reading): WinNode[] {
  switch (node.face.role) {
    case 'listbox':
      return listBox(node, style, reading)
    case 'combobox':
      return comboBox(node, style, reading)
    default:
      return CONTENTS[className(node)]?.(node, style, reading) ?? []
  }
}

type Contents = (node: WinNode, style: number, reading: Reading) => WinNode[]

const inMemory =
  (read: (node: WinNode, memory: RemoteMemory, style: number, reading: Reading) => WinNode[]): Contents =>
  (node, style, reading) => {
    const memory = memoryFor(reading)
    return memory === undefined ? [] : read(node, memory, style, reading)
  }

/** Controls whose messages point to structures, by their class. */
const CONTENTS: Readonly<Record<string, Contents>> = {
  syslistview32: inMemory((node, memory, style) => listView(node, style, memory)),
  sysheader32: inMemory(columnHeaders),
  systreeview32: inMemory((node, memory, _style, reading) => treeView(node, memory, reading)),
  systabcontrol32: inMemory(tabs),
  toolbarwindow32: inMemory(toolbarButtons),
  msctls_statusbar32: inMemory(statusParts),
}

const className = ({ face }: WinNode): string => String(face.attributes?.['class']).toLowerCase()

function listBox(list: WinNode, style: number, reading: Reading): WinNode[] {
  const { hwnd } = list
  const count = answered(ask(hwnd, LB.GETCOUNT))
  if ((style & OWNER_DRAWN) !== 0 && (style & HAS_STRINGS) === 0) {
    if (count > 0 && !fillByMsaa(list, reading)) reading.gaps.add(`a list draws its ${count} entries itself and keeps no texts`)
    return []
  }
  const shownRows = rowsOnScreen(hwnd, count)
  const names = textsOf(list.key, count, shownRows, (at) => textAt(hwnd, LB.GETTEXTLEN, LB.GETTEXT, at))
  const current = (style & SEVERAL) === 0 ? answered(ask(hwnd, LB.GETCURSEL)) : undefined
  return names.map((name, at) =>
    entry(list, 'option', at, name, shownRows.get(at), current === undefined ? (ask(hwnd, LB.GETSEL, at) ?? 0) > 0 : current === at),
  )
}

function comboBox(box: WinNode, style: number, reading: Reading): WinNode[] {
  const { hwnd } = box
  const count = answered(ask(hwnd, CB.GETCOUNT))
  if ((style & OWNER_DRAWN) !== 0 && (style & CB_HAS_STRINGS) === 0) {
    if (count > 0 && !fillByMsaa(box, reading)) reading.gaps.add(`a drop-down list draws its ${count} entries itself and keeps no texts`)
    return []
  }
  const list = box.face.states.expanded === true ? droppedList(hwnd) : undefined
  const shownRows = list === undefined ? new Map<number, Rect>() : rowsOnScreen(list, count)
  const current = answered(ask(hwnd, CB.GETCURSEL))
  const names = textsOf(box.key, count, shownRows, (at) => textAt(hwnd, CB.GETLBTEXTLEN, CB.GETLBTEXT, at))
  return names.map((name, at) => entry(box, 'option', at, name, shownRows.get(at), current === at))
}

/** The list that a drop-down list shows is a window of its own. */
function droppedList(box: Handle): Handle | undefined {
  const { thread } = ownerThread(box)
  return childrenOf().find((h) => user32.IsWindowVisible(h) !== 0 && classOf(h) === 'ComboLBox' && ownerThread(h).thread === thread)
}

/** Which rows a list shows, and where. */
function rowsOnScreen(list: Handle, count: number): Map<number, Rect> {
  const rows = new Map<number, Rect>()
  const outer = rectOf(list)
  if (outer === undefined) return rows
  for (let at = answered(ask(list, LB.GETTOPINDEX)); at < count; at++) {
    const rect = Buffer.alloc(16)
    if ((askWith(list, LB.GETITEMRECT, at, rect) ?? -1) < 0) break
    const seen = intersect(toScreen(list, rect), outer)
    if (seen === undefined) break
    rows.set(at, seen)
  }
  return rows
}

function textsOf(key: string, count: number, onScreen: ReadonlyMap<number, unknown>, textOf: (at: number) => string): string[] {
  const known = texts.get(key)
  if (known?.length !== count) {
    const all = Array.from({ length: count }, (_, at) => textOf(at))
    texts.set(key, all)
    return all
  }
  for (const at of onScreen.keys()) known[at] = textOf(at)
  return known
}

function textAt(h: Handle, lengthMessage: number, textMessage: number, at: number): string {
  const length = answered(ask(h, lengthMessage, at))
  if (length <= 0) return ''
  const buffer = Buffer.alloc(2 * (length + 1))
  const got = answered(askWith(h, textMessage, at, buffer))
  return buffer.toString('utf16le', 0, 2 * Math.max(0, got))
}

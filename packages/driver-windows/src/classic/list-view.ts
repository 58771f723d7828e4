import { intersect, type Rect } from '@deskhand/core/model'
import type { WinNode } from '../node.ts'
import { ask } from '../win32/message.ts'
import type { RemoteMemory } from '../win32/remote.ts'
import { rectOf, toScreen } from '../win32/window.ts'
import { entry } from './entry.ts'
import { answered } from './reading.ts'

const LVM = { GETITEMCOUNT: 0x1004, GETITEMRECT: 0x100e, GETHEADER: 0x101f, GETTOPINDEX: 0x1027, GETCOUNTPERPAGE: 0x1028 }
const GETNEXTITEM = 0x100c
const [GETITEMSTATE, GETEXTENDEDSTYLE, GETSUBITEMRECT, GETITEMTEXT] = [0x102c, 0x1037, 0x1038, 0x1073]
const HDM = { GETITEMCOUNT: 0x1200, GETITEMRECT: 0x1207, GETITEM: 0x120b }
const [LABEL, SELECTS] = [2, 3]
const [SELECTED, CHECK_SHIFT, CHECKBOXES, OWNER_DATA] = [2, 12, 4, 0x1000]
/** Rows whose texts are kept; of a longer list, or one that makes its rows when they are shown, those on the screen are read. */
const MOST = 20_000

/** Rows of a longer list have no cells: one that gets them when it comes into view would be taken for another row. */
const FEW = 200

/** Texts of rows that are not on the screen are read once, and again when their number changes. */
const texts = new Map<string, string[]>()

/** The rows of a list view; those of a short one with their cells, those of a long one on the screen with what their columns say. */
export function listView(list: WinNode, style: number, memory: RemoteMemory): WinNode[] {
  const { hwnd } = list
  const count = answered(ask(hwnd, LVM.GETITEMCOUNT))
  const isTable = list.face.role === 'table'
  const columns = isTable ? columnsOf(list, memory) : []
  const places = rowsOnScreen(list, count, memory)
  const isLoaded = count <= MOST && (style & OWNER_DATA) === 0
  if (!isLoaded) list.face.attributes = { ...list.face.attributes, rowsNotLoaded: count - places.size }
  const names = isLoaded ? namesOf(list, count, places, memory) : undefined
  const selected = selectedRows(list.hwnd)
  const hasChecks = (answered(ask(hwnd, GETEXTENDEDSTYLE)) & CHECKBOXES) !== 0
  const rows: WinNode[] = []
  for (const at of names?.keys() ?? places.keys()) {
    const place = places.get(at)
    const row = entry(list, isTable ? 'row' : 'listitem', at, names?.[at] ?? textOf(hwnd, at, 0, memory), place, selected.has(at))
    if (hasChecks && place !== undefined) row.face.states.checked = answered(ask(hwnd, GETITEMSTATE, at, 0xf000)) >> CHECK_SHIFT === 2
    if (columns.length > 1 && count <= FEW) addCells(row, list, columns, memory)
    else if (columns.length > 1 && place !== undefined) row.face.description = otherColumns(hwnd, at, columns, memory)
    rows.push(row)
  }
  return rows
}

const otherColumns = (hwnd: number, at: number, columns: readonly string[], memory: RemoteMemory): string =>
  columns
    .slice(1)
    .map((column, i) => `${column}: ${textOf(hwnd, at, i + 1, memory)}`)
    .join(', ')

function selectedRows(hwnd: number): Set<number> {
  const found = new Set<number>()
  for (let at = -1; found.size < MOST;) {
    at = answered(ask(hwnd, GETNEXTITEM, at, SELECTED)) | 0
    if (at < 0) break
    found.add(at)
  }
  return found
}

function addCells(row: WinNode, list: WinNode, columns: readonly string[], memory: RemoteMemory): void {
  const at = row.entry ?? 0
  columns.forEach((column, i) => {
    const bounds = placeOf(list, GETSUBITEMRECT, at, memory, i)
    row.children.push({
      key: `${row.key}.${i}`,
      app: row.app,
      hwnd: row.hwnd,
      entry: at,
      face: {
        role: 'cell',
        name: i === 0 ? (row.face.name ?? '') : textOf(list.hwnd, at, i, memory),
        ...(bounds !== undefined && { bounds }),
        states: { visible: bounds !== undefined, selected: row.face.states.selected === true },
        attributes: { row: at, column: i, header: column },
      },
      parent: row,
      children: [],
    })
  })
}

function columnsOf({ hwnd }: WinNode, memory: RemoteMemory): string[] {
  const header = answered(ask(hwnd, LVM.GETHEADER))
  return header === 0 ? [] : headings(header, memory)
}

function headings(header: number, memory: RemoteMemory): string[] {
  return Array.from({ length: Math.max(0, answered(ask(header, HDM.GETITEMCOUNT))) }, (_, i) => {
    const item = Buffer.alloc(80)
    item.writeUInt32LE(2, 0)
    // A bitmap stands between the text and its length.
    return answered(memory.askText(header, HDM.GETITEM, i, item, { pointerAt: 8, lengthAt: memory.is32 ? 16 : 24 })).text
  })
}

/** The headings of a list view's columns. */
export function columnHeaders(header: WinNode, memory: RemoteMemory): WinNode[] {
  return headings(header.hwnd, memory).map((text, at) => {
    const place = answered(memory.ask(header.hwnd, HDM.GETITEMRECT, at, Buffer.alloc(16)))
    const bounds = place.answer === 0 ? undefined : toScreen(header.hwnd, place.structure)
    const node = entry(header, 'columnheader', at, text, bounds, false)
    node.face.states = { visible: bounds !== undefined, enabled: header.face.states.enabled }
    delete node.face.actions
    return node
  })
}

/** Which rows are on the screen, and where. */
function rowsOnScreen(list: WinNode, count: number, memory: RemoteMemory): Map<number, Rect> {
  const places = new Map<number, Rect>()
  const top = answered(ask(list.hwnd, LVM.GETTOPINDEX))
  // A view of icons has no page of rows: all of its entries may be on the screen.
  const page = answered(ask(list.hwnd, LVM.GETCOUNTPERPAGE))
  const isRows = list.face.role === 'table' || page < count
  for (let at = isRows ? top : 0; at < count && (!isRows || at <= top + page + 1); at++) {
    const place = placeOf(list, LVM.GETITEMRECT, at, memory)
    if (place !== undefined) places.set(at, place)
  }
  return places
}

function placeOf(list: WinNode, message: number, at: number, memory: RemoteMemory, column = 0): Rect | undefined {
  const rect = Buffer.alloc(16)
  // What is asked for stands in the first number: of a row what selects it, of a cell all of it but for the first column. The second is the column.
  rect.writeInt32LE(message !== GETSUBITEMRECT ? SELECTS : column === 0 ? LABEL : 0, 0)
  rect.writeInt32LE(column, 4)
  const told = answered(memory.ask(list.hwnd, message, at, rect))
  const outer = rectOf(list.hwnd)
  return told.answer === 0 || outer === undefined ? undefined : intersect(toScreen(list.hwnd, told.structure), outer)
}

function namesOf(list: WinNode, count: number, onScreen: ReadonlyMap<number, Rect>, memory: RemoteMemory): string[] {
  const known = texts.get(list.key)
  if (known?.length === count) {
    for (const at of onScreen.keys()) known[at] = textOf(list.hwnd, at, 0, memory)
    return known
  }
  const all = Array.from({ length: count }, (_, at) => textOf(list.hwnd, at, 0, memory))
  texts.set(list.key, all)
  return all
}

function textOf(hwnd: number, at: number, column: number, memory: RemoteMemory): string {
  const item = Buffer.alloc(88)
  item.writeUInt32LE(1, 0)
  item.writeInt32LE(at, 4)
  item.writeInt32LE(column, 8)
  return answered(memory.askText(hwnd, GETITEMTEXT, at, item, { pointerAt: memory.is32 ? 20 : 24 })).text
}

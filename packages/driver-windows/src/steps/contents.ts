import { DeskhandError } from '@deskhand/core/errors'
import type { WinNode } from '../node.ts'
import { user32 } from '../win32/api.ts'
import { tell } from '../win32/message.ts'
import { RemoteMemory } from '../win32/remote.ts'
import { classOf, ownerThread, styleOf } from '../win32/window.ts'

const LVM = { ENSUREVISIBLE: 0x1013, SETITEMSTATE: 0x102b }
const TVM = { EXPAND: 0x1102, SELECTITEM: 0x110b, ENSUREVISIBLE: 0x1114 }
const TCM_SETCURFOCUS = 0x1330
const [SELECTED_AND_FOCUSED, ALL_ROWS] = [3, -1]
const [CARET, COLLAPSE, EXPAND] = [9, 1, 2]
const TBM_SETPOS = 0x405
const UDM_SETPOS32 = 0x471
const SET_TIME = 0x1002
const [HSCROLL, VSCROLL, THUMB_POSITION, END_SCROLL] = [0x114, 0x115, 4, 8]
const VERTICAL = 2

const className = ({ hwnd }: WinNode): string => classOf(hwnd).toLowerCase()

/** Selects an entry of a list view, tree view or tab control; undefined for anything else. */
export function selectEntry(node: WinNode): string | undefined {
  const { hwnd, entry = 0 } = node
  switch (className(node)) {
    case 'syslistview32':
      setRowState(hwnd, ALL_ROWS, 0)
      setRowState(hwnd, entry, SELECTED_AND_FOCUSED)
      return 'LVM_SETITEMSTATE'
    case 'systreeview32':
      tell(hwnd, TVM.SELECTITEM, CARET, entry)
      return 'TVM_SELECTITEM'
    case 'systabcontrol32':
      tell(hwnd, TCM_SETCURFOCUS, entry)
      return 'TCM_SETCURFOCUS'
    default:
      return undefined
  }
}

function setRowState(hwnd: number, row: number, state: number): void {
  const item = Buffer.alloc(88)
  item.writeUInt32LE(state, 12)
  item.writeUInt32LE(SELECTED_AND_FOCUSED, 16)
  inMemoryOf(hwnd, (memory) => memory.ask(hwnd, LVM.SETITEMSTATE, row, item))
}

export function revealEntry(node: WinNode): string | undefined {
  const { hwnd, entry = 0 } = node
  switch (className(node)) {
    case 'syslistview32':
      tell(hwnd, LVM.ENSUREVISIBLE, entry)
      return 'LVM_ENSUREVISIBLE'
    case 'systreeview32':
      tell(hwnd, TVM.ENSUREVISIBLE, 0, entry)
      return 'TVM_ENSUREVISIBLE'
    default:
      return undefined
  }
}

export function expandEntry(node: WinNode, open: boolean): string | undefined {
  if (node.entry === undefined || className(node) !== 'systreeview32') return undefined
  tell(node.hwnd, TVM.EXPAND, open ? EXPAND : COLLAPSE, node.entry)
  return 'TVM_EXPAND'
}

/** Sets a slider or a spin button, and tells its window as the control does when a person operates it. */
export function setNumber(node: WinNode, value: number): string | undefined {
  const { hwnd, face } = node
  const [min, max] = [Number(face.attributes?.['min'] ?? -Infinity), Number(face.attributes?.['max'] ?? Infinity)]
  const kind = className(node)
  if (kind !== 'msctls_trackbar32' && kind !== 'msctls_updown32') return undefined
  if (!Number.isInteger(value) || value < min || value > max)
    throw new DeskhandError('BAD_ARGS', `the ${face.role} takes whole numbers from ${min} to ${max}`)
  if (kind === 'msctls_trackbar32') tell(hwnd, TBM_SETPOS, 1, value)
  else tell(hwnd, UDM_SETPOS32, 0, value)
  const parent = user32.GetAncestor(hwnd, 1)
  const message = kind === 'msctls_updown32' || (styleOf(hwnd) & VERTICAL) !== 0 ? VSCROLL : HSCROLL
  for (const code of [THUMB_POSITION, END_SCROLL])
    user32.PostMessageW(parent, message, ((code === THUMB_POSITION ? value << 16 : 0) | code) >>> 0, hwnd)
  return 'Value'
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/
const TIME = /^(\d\d):(\d\d)(?::(\d\d))?$/

/** Sets the date or time of a date field or calendar; undefined for anything else. Its window is not told: no message of another process can. */
export function setDate(node: WinNode, text: string): string | undefined {
  const { hwnd } = node
  const kind = className(node)
  if (kind !== 'sysdatetimepick32' && kind !== 'sysmonthcal32') return undefined
  const [date, time] = [DATE.exec(text), TIME.exec(text)]
  if (date === null && time === null)
    throw new DeskhandError('BAD_ARGS', 'a date is given as 2026-11-18, a time as 09:30 or 09:30:00', { details: { text } })
  const parts = inMemoryOf(hwnd, (memory) => {
    const now = memory.ask(hwnd, SET_TIME - 1, 0, Buffer.alloc(16))?.structure ?? Buffer.alloc(16)
    if (date !== null) [0, 2, 6].forEach((at, i) => now.writeUInt16LE(Number(date[i + 1]), at))
    else [8, 10, 12].forEach((at, i) => now.writeUInt16LE(Number(time?.[i + 1] ?? 0), at))
    return memory.ask(hwnd, SET_TIME, 0, now)
  })
  if (parts.answer === 0) throw new DeskhandError('BAD_ARGS', `the ${node.face.role} does not take ${JSON.stringify(text)}`)
  return kind === 'sysmonthcal32' ? 'MCM_SETCURSEL' : 'DTM_SETSYSTEMTIME'
}

function inMemoryOf<T>(hwnd: number, use: (memory: RemoteMemory) => T | undefined): T {
  const memory = RemoteMemory.of(ownerThread(hwnd).pid)
  if (memory === undefined) throw new DeskhandError('NOT_CAPABLE', 'the program runs with higher rights and lets no other into its memory')
  try {
    const found = use(memory)
    if (found === undefined) throw new DeskhandError('APP_HUNG', 'the application does not answer')
    return found
  } finally {
    memory.close()
  }
}

import type { WinNode } from '../node.ts'
import { ask, textIn } from '../win32/message.ts'
import type { RemoteMemory } from '../win32/remote.ts'
import { toScreen } from '../win32/window.ts'
import { entry } from './entry.ts'
import { answered } from './reading.ts'
import { shown } from './roles.ts'

const TCM = { GETITEMCOUNT: 0x1304, GETITEMRECT: 0x130a, GETCURSEL: 0x130b, GETITEM: 0x133c }
const TBM = { GETPOS: 0x400, GETRANGEMIN: 0x401, GETRANGEMAX: 0x402 }
const UDM = { GETBUDDY: 0x46a, GETRANGE32: 0x470, GETPOS32: 0x472 }
const PBM = { GETRANGE: 0x407, GETPOS: 0x408 }
/** Of a date field and of a calendar alike. */
const GETTIME = 0x1001
const TIME_FORMAT = 8

/** The tabs of a tab control. */
export function tabs(list: WinNode, memory: RemoteMemory): WinNode[] {
  const { hwnd } = list
  const current = answered(ask(hwnd, TCM.GETCURSEL))
  return Array.from({ length: answered(ask(hwnd, TCM.GETITEMCOUNT)) }, (_, at) => {
    const item = Buffer.alloc(40)
    item.writeUInt32LE(1, 0)
    const { text } = answered(memory.askText(hwnd, TCM.GETITEM, at, item, { pointerAt: memory.is32 ? 12 : 16 }))
    const place = answered(memory.ask(hwnd, TCM.GETITEMRECT, at, Buffer.alloc(16)))
    return entry(list, 'tab', at, shown(text).text, place.answer === 0 ? undefined : toScreen(hwnd, place.structure), at === current)
  })
}

/** What a control holds, and between which ends. */
export function describeValue({ hwnd, face }: WinNode, windowClass: string, style: number, memory: RemoteMemory | undefined): void {
  const give = (value: number, min: number, max: number): void => {
    face.value = String(value)
    face.attributes = { ...face.attributes, min: Math.min(min, max), max: Math.max(min, max) }
  }
  switch (windowClass.toLowerCase()) {
    case 'msctls_trackbar32':
      give(answered(ask(hwnd, TBM.GETPOS)), answered(ask(hwnd, TBM.GETRANGEMIN)), answered(ask(hwnd, TBM.GETRANGEMAX)))
      face.actions = ['setValue', 'focus']
      return
    case 'msctls_progress32':
      return give(answered(ask(hwnd, PBM.GETPOS)), answered(ask(hwnd, PBM.GETRANGE, 1)), answered(ask(hwnd, PBM.GETRANGE, 0)))
    case 'msctls_updown32': {
      const [low, high] = answered(memory === undefined ? ([0, 0] as const) : memory.askNumbers(hwnd, UDM.GETRANGE32))
      give(answered(ask(hwnd, UDM.GETPOS32)) | 0, low, high)
      face.actions = ['setValue']
      const buddy = answered(ask(hwnd, UDM.GETBUDDY))
      if (buddy !== 0 && face.name === undefined) face.description = `changes ${JSON.stringify(textIn(buddy) ?? '')}`
      return
    }
    case 'sysdatetimepick32':
    case 'sysmonthcal32': {
      const told = memory?.ask(hwnd, GETTIME, 0, Buffer.alloc(16))
      if (told === undefined) return
      const hasTime = windowClass.toLowerCase() === 'sysdatetimepick32' && (style & TIME_FORMAT) !== 0
      face.value = told.answer === 0 || windowClass.toLowerCase() === 'sysmonthcal32' ? dateText(told.structure, hasTime) : ''
      face.actions = ['setText', 'focus']
      face.states.editable = true
      return
    }
    default:
  }
}

const two = (n: number): string => String(n).padStart(2, '0')

/** A SYSTEMTIME as ISO 8601 has it. */
export function dateText(time: Buffer, hasTime: boolean): string {
  const [year, month, , day, hour, minute, second] = [0, 2, 4, 6, 8, 10, 12].map((at) => time.readUInt16LE(at)) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  return hasTime ? `${two(hour)}:${two(minute)}:${two(second)}` : `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
}

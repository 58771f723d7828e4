import { intersect } from '@deskhand/core/model'
import type { WinNode } from '../node.ts'
import { ask } from '../win32/message.ts'
import type { RemoteMemory } from '../win32/remote.ts'
import { rectOf, toScreen } from '../win32/window.ts'
import { entry } from './entry.ts'
import { answered } from './reading.ts'
import { shown } from './roles.ts'

const TB = { GETBUTTON: 0x417, BUTTONCOUNT: 0x418, GETITEMRECT: 0x41d, GETBUTTONTEXT: 0x44b }
const SB = { GETPARTS: 0x406, GETRECT: 0x40a, GETTEXTLENGTH: 0x40c, GETTEXT: 0x40d }
const [SEPARATOR, CHECK] = [1, 2]
const [CHECKED, ENABLED, HIDDEN] = [1, 4, 8]
/** Texts of buttons and of parts of a status bar are no longer. */
const LONGEST = 255
const MOST = 500

/** The buttons of a toolbar; one that is a picture alone has no name, but the id of its command. */
export function toolbarButtons(bar: WinNode, memory: RemoteMemory): WinNode[] {
  const { hwnd } = bar
  const outer = rectOf(hwnd)
  const count = Math.min(MOST, answered(ask(hwnd, TB.BUTTONCOUNT)))
  return Array.from({ length: count }, (_, at) => at).flatMap((at) => {
    const { structure } = answered(memory.ask(hwnd, TB.GETBUTTON, at, Buffer.alloc(32)))
    const [command, state, style] = [structure.readInt32LE(4), structure.readUInt8(8), structure.readUInt8(9)]
    if ((style & SEPARATOR) !== 0 || (state & HIDDEN) !== 0) return []
    const place = answered(memory.ask(hwnd, TB.GETITEMRECT, at, Buffer.alloc(16)))
    const bounds = place.answer === 0 || outer === undefined ? undefined : intersect(toScreen(hwnd, place.structure), outer)
    const isToggle = (style & CHECK) !== 0
    const name = textOf(hwnd, TB.GETBUTTONTEXT, command, answered(ask(hwnd, TB.GETBUTTONTEXT, command)), memory)
    const button = entry(bar, isToggle ? 'togglebutton' : 'button', at, shown(name).text, bounds, false)
    button.entry = command
    button.face.states = {
      enabled: bar.face.states.enabled !== false && (state & ENABLED) !== 0,
      visible: bounds !== undefined,
      // An application may keep any button of its own pressed.
      ...((isToggle || (state & CHECKED) !== 0) && { checked: (state & CHECKED) !== 0 }),
    }
    button.face.platformIds = { legacyId: String(command) }
    button.face.actions = ['press']
    return [button]
  })
}

/** What stands in a status bar of several parts. */
export function statusParts(bar: WinNode, memory: RemoteMemory): WinNode[] {
  const { hwnd } = bar
  const count = answered(ask(hwnd, SB.GETPARTS))
  if (count < 2) return []
  return Array.from({ length: count }, (_, at) => {
    const text = textOf(hwnd, SB.GETTEXT, at, answered(ask(hwnd, SB.GETTEXTLENGTH, at)) & 0xffff, memory)
    const place = answered(memory.ask(hwnd, SB.GETRECT, at, Buffer.alloc(16)))
    const part = entry(bar, 'label', at, shown(text).text, place.answer === 0 ? undefined : toScreen(hwnd, place.structure), false)
    part.face.states = {}
    delete part.face.actions
    return part
  })
}

function textOf(hwnd: number, message: number, which: number, length: number, memory: RemoteMemory): string {
  const characters = Math.min(length | 0, LONGEST)
  if (characters <= 0) return ''
  const { structure } = answered(memory.ask(hwnd, message, which, Buffer.alloc(2 * (LONGEST + 1))))
  return structure.toString('utf16le', 0, 2 * characters)
}

import { user32, WINE } from '../win32/api.ts'
import { wide } from '../win32/message.ts'

const [MESSAGE_ONLY, WM_INPUT, READ, HEADER, SIZE] = [-3, 0xff, 0x10000003, 24, 48]
const [GENERIC, MOUSE, KEYBOARD, IN_BACKGROUND] = [1, 2, 6, 0x100]
const OF_MOUSE = 0

/** An event of mouse or keyboard, told after it reached its application. */
export interface RawEvent {
  kind: 'moves' | 'buttons' | 'keys'
  isInjected: boolean
  /** The lower half of the mark that its sender gave it. */
  mark: number
  message: number
  what: number
}

/** Has Windows tell this thread of all input, for places where hooks are refused. Answers whether it does. */
export function openRawInput(): boolean {
  const window = user32.CreateWindowExW(0, wide('Static'), wide('airbag'), 0, 0, 0, 0, 0, MESSAGE_ONLY, 0, 0, 0)
  if (window === 0) return false
  const devices = Buffer.concat(
    [MOUSE, KEYBOARD].map((usage) => {
      const device = Buffer.alloc(16)
      device.writeUInt16LE(GENERIC, 0)
      device.writeUInt16LE(usage, 2)
      device.writeUInt32LE(IN_BACKGROUND, 4)
      device.writeBigInt64LE(BigInt(window), 8)
      return device
    }),
  )
  return user32.RegisterRawInputDevices(devices, 2, 16) !== 0
}

/** The event that a message tells of; undefined for other messages. */
export function rawEvent(message: Buffer): RawEvent | undefined {
  if (message.readUInt32LE(8) !== WM_INPUT) return undefined
  const [raw, size] = [Buffer.alloc(SIZE), Buffer.alloc(4)]
  size.writeUInt32LE(SIZE, 0)
  if (user32.GetRawInputData(Number(message.readBigInt64LE(24)), READ, raw, size, HEADER) > SIZE) return undefined
  const isMouse = raw.readUInt32LE(0) === OF_MOUSE
  const mark = raw.readUInt32LE(isMouse ? 44 : 36)
  // What programs inject comes from no device; Wine gives it one, so that there only a mark tells.
  const isInjected = raw.readBigUInt64LE(8) === 0n || (WINE !== undefined && mark !== 0)
  if (!isMouse) return { kind: 'keys', isInjected, mark, message: raw.readUInt32LE(32), what: raw.readUInt16LE(30) }
  const buttons = raw.readUInt16LE(28)
  return { kind: buttons === 0 ? 'moves' : 'buttons', isInjected, mark, message: WM_INPUT, what: buttons }
}

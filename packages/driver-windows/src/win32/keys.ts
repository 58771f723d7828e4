import { user32 } from './api.ts'

// oxfmt-ignore
const NAMED: Readonly<Record<string, number>> = {
  Enter: 0x0d, Tab: 0x09, Escape: 0x1b, Backspace: 0x08, Delete: 0x2e, Insert: 0x2d, Home: 0x24, End: 0x23, PageUp: 0x21, PageDown: 0x22,
  ArrowLeft: 0x25, ArrowUp: 0x26, ArrowRight: 0x27, ArrowDown: 0x28, Shift: 0x10, Control: 0x11, Alt: 0x12, AltGraph: 0xa5, Meta: 0x5b,
  CapsLock: 0x14, NumLock: 0x90, ScrollLock: 0x91, Pause: 0x13, PrintScreen: 0x2c, ContextMenu: 0x5d, ' ': 0x20,
}
/** Keys that a keyboard sends with a prefix. */
const EXTENDED: ReadonlySet<number> = new Set([0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x2c, 0x2d, 0x2e, 0x5b, 0x5d, 0x90, 0xa5])

export interface VirtualKey {
  code: number
  scan: number
  isExtended: boolean
}

/** The key of the keyboard for a key of ours; undefined for a character that no key bears, which can be sent as text only. */
export function virtualKey(key: string): VirtualKey | undefined {
  const f = /^F(\d+)$/.exec(key)?.[1]
  const code = NAMED[key] ?? (f === undefined ? characterKey(key) : 0x6f + Number(f))
  return code === undefined ? undefined : { code, scan: user32.MapVirtualKeyW(code, 0), isExtended: EXTENDED.has(code) }
}

function characterKey(key: string): number | undefined {
  if (key.length !== 1) return undefined
  const found = user32.VkKeyScanW(key.charCodeAt(0))
  return found === -1 ? undefined : found & 0xff
}

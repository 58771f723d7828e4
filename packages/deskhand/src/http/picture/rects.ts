import type { Rect } from '@deskhand/core/model'
import type { Move } from './changes.ts'

export const COPY = 1
/** The size of the screen, with the reason; a client that knows it may ask for another one. */
export const EXTENDED_SIZE = -308

/** Where a rectangle lies, and how it is encoded. */
export function rectHead({ x, y, w, h }: Rect, encoding: number): Buffer {
  const head = Buffer.alloc(12)
  head.writeUInt16BE(x, 0)
  head.writeUInt16BE(y, 2)
  head.writeUInt16BE(w, 4)
  head.writeUInt16BE(h, 6)
  head.writeInt32BE(encoding, 8)
  return head
}

/** The size of the screen, which is one. */
export function sizeRect({ w, h }: Rect, reason: number, status: number): Buffer {
  const screens = Buffer.alloc(20)
  screens[0] = 1
  screens.writeUInt16BE(w, 12)
  screens.writeUInt16BE(h, 14)
  return Buffer.concat([rectHead({ x: reason, y: status, w, h }, EXTENDED_SIZE), screens])
}

/** Has the client take pixels from another place of its own picture. */
export function copyRect({ to, fromY }: Move): Buffer {
  const from = Buffer.alloc(4)
  from.writeUInt16BE(to.x, 0)
  from.writeUInt16BE(fromY, 2)
  return Buffer.concat([rectHead(to, COPY), from])
}

import { endianness } from 'node:os'
import type { Rect } from '@deskhand/core/model'
import type { Framebuffer } from './framebuffer.ts'

interface Channel {
  max: number
  shift: number
}

/** How a client wants pixels. */
export interface PixelFormat {
  bits: 8 | 16 | 32
  depth: number
  isBigEndian: boolean
  channels: readonly [red: Channel, green: Channel, blue: Channel]
}

/** As the framebuffer has them: red, green, blue and a byte that says nothing. */
export const NATIVE: PixelFormat = {
  bits: 32,
  depth: 24,
  isBigEndian: false,
  channels: [
    { max: 255, shift: 0 },
    { max: 255, shift: 8 },
    { max: 255, shift: 16 },
  ],
}

export function writeFormat({ bits, depth, isBigEndian, channels }: PixelFormat): Buffer {
  const out = Buffer.alloc(16)
  out.set([bits, depth, isBigEndian ? 1 : 0, 1])
  channels.forEach(({ max }, i) => out.writeUInt16BE(max, 4 + 2 * i))
  channels.forEach(({ shift }, i) => out.writeUInt8(shift, 10 + i))
  return out
}

/** Undefined for formats that are not served: those with a colour map, and impossible ones. */
export function readFormat(bytes: Buffer): PixelFormat | undefined {
  const bits = bytes[0]
  if ((bits !== 8 && bits !== 16 && bits !== 32) || bytes[3] === 0) return undefined
  const channel = (i: number): Channel => ({ max: bytes.readUInt16BE(4 + 2 * i), shift: bytes.readUInt8(10 + i) })
  const channels = [channel(0), channel(1), channel(2)] as const
  if (channels.some(({ max, shift }) => shift >= bits || max === 0)) return undefined
  return { bits, depth: bytes[1] ?? 0, isBigEndian: bytes[2] !== 0, channels }
}

/** Whether Tight sends its pixels as three bytes, as every usual client wants. */
export const isTrueColour = ({ bits, depth, channels }: PixelFormat): boolean =>
  bits === 32 && depth === 24 && channels.every(({ max }) => max === 255)

/** The pixels of an area as a client wants them. */
export function rawPixels({ pixels, width }: Framebuffer, { x, y, w, h }: Rect, { bits, isBigEndian, channels }: PixelFormat): Buffer {
  const bytes = Buffer.allocUnsafeSlow((w * h * bits) / 8)
  const out = new WORDS[bits](bytes.buffer, 0, w * h)
  const [red, green, blue] = channels.map(shares) as [Uint32Array, Uint32Array, Uint32Array]
  let to = 0
  for (let row = y; row < y + h; row++) {
    for (let at = row * width + x, end = at + w; at < end; at++) {
      const colour = pixels[at] ?? 0
      out[to++] = (red[colour & 0xff] ?? 0) | (green[(colour >> 8) & 0xff] ?? 0) | (blue[(colour >> 16) & 0xff] ?? 0)
    }
  }
  if (bits === 8 || isBigEndian === (endianness() === 'BE')) return bytes
  return bits === 16 ? bytes.swap16() : bytes.swap32()
}

const WORDS = { 8: Uint8Array, 16: Uint16Array, 32: Uint32Array }

/** What each intensity of a colour adds to a pixel. */
const shares = ({ max, shift }: Channel): Uint32Array =>
  Uint32Array.from({ length: 256 }, (_, value) => (max === 255 ? value : Math.round((value * max) / 255)) << shift)

import { inflateSync } from 'node:zlib'
import { DeskhandError } from '@deskhand/core/errors'
import type { Picture } from './picture.ts'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const MOST_PIXELS = 64_000_000
/** Samples per pixel, by colour type. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }
/** Where the passes of an interlaced picture begin, and how far apart their pixels lie: x, y, dx, dy. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

interface Header {
  width: number
  height: number
  depth: number
  type: number
  interlaced: boolean
}

export const isPng = (bytes: Uint8Array): boolean => SIGNATURE.equals(bytes.subarray(0, SIGNATURE.length))

/** Reads a PNG of any colour type and depth. */
export function decodePng(bytes: Uint8Array): Picture {
  if (!isPng(bytes)) throw broken('it does not begin like one')
  const chunks = chunksOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  const header = headerOf(chunks.find((c) => c.type === 'IHDR')?.data)
  const palette = chunks.find((c) => c.type === 'PLTE')?.data
  const transparent = chunks.find((c) => c.type === 'tRNS')?.data
  const packed = Buffer.concat(chunks.filter((c) => c.type === 'IDAT').map((c) => c.data))
  const { width, height, interlaced } = header
  const picture: Picture = { width, height, data: new Uint8Array(width * height * 4) }
  const rows = inflated(packed, header)
  let at = 0
  for (const [x0, y0, dx, dy] of interlaced ? PASSES : [[0, 0, 1, 1] as const]) {
    const [w, h] = [Math.ceil((width - x0) / dx), Math.ceil((height - y0) / dy)]
    if (w <= 0 || h <= 0) continue
    const stride = rowBytes(header, w)
    const raw = unfiltered(rows.subarray(at, at + h * (stride + 1)), h, stride, bytesPerPixel(header))
    at += h * (stride + 1)
    const paint = painter(header, palette, transparent, picture.data)
    for (let y = 0; y < h; y++) for (let x = 0; x < w; x++) paint(raw, y * stride, x, ((y0 + y * dy) * width + x0 + x * dx) * 4)
  }
  return picture
}

function inflated(packed: Buffer, header: Header): Buffer {
  try {
    return inflateSync(packed, { maxOutputLength: header.width * header.height * 8 + (header.height + 1) * 16 })
  } catch (thrown) {
    throw broken(thrown instanceof Error ? thrown.message : 'its pixels cannot be unpacked')
  }
}

function chunksOf(bytes: Buffer): { type: string; data: Buffer }[] {
  const chunks = []
  for (let at = SIGNATURE.length; at + 12 <= bytes.length;) {
    const length = bytes.readUInt32BE(at)
    const type = bytes.toString('latin1', at + 4, at + 8)
    if (at + 12 + length > bytes.length) throw broken('it ends too early')
    chunks.push({ type, data: bytes.subarray(at + 8, at + 8 + length) })
    at += 12 + length
  }
  return chunks
}

function headerOf(data: Buffer | undefined): Header {
  if (data === undefined || data.length < 13) throw broken('it has no header')
  const [width, height, depth, type] = [data.readUInt32BE(0), data.readUInt32BE(4), data[8]!, data[9]!]
  if (CHANNELS[type] === undefined || ![1, 2, 4, 8, 16].includes(depth)) throw broken('its colours are of an unknown kind')
  if (width === 0 || height === 0 || width * height > MOST_PIXELS) throw broken(`it is ${width}x${height}`)
  return { width, height, depth, type, interlaced: data[12] === 1 }
}

const bitsPerPixel = ({ depth, type }: Header): number => depth * (CHANNELS[type] ?? 1)
const bytesPerPixel = (header: Header): number => Math.max(1, bitsPerPixel(header) >> 3)
const rowBytes = (header: Header, width: number): number => Math.ceil((bitsPerPixel(header) * width) / 8)

function unfiltered(rows: Buffer, height: number, stride: number, back: number): Uint8Array {
  if (rows.length < height * (stride + 1)) throw broken('pixels are missing')
  const out = new Uint8Array(height * stride)
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (stride + 1)]!
    const [from, to] = [y * (stride + 1) + 1, y * stride]
    for (let i = 0; i < stride; i++) {
      const left = i >= back ? out[to + i - back]! : 0
      const up = y > 0 ? out[to + i - stride]! : 0
      const corner = i >= back && y > 0 ? out[to + i - stride - back]! : 0
      out[to + i] = rows[from + i]! + predicted(filter, left, up, corner)
    }
  }
  return out
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  switch (filter) {
    case 0:
      return 0
    case 1:
      return left
    case 2:
      return up
    case 3:
      return (left + up) >> 1
    case 4: {
      const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)]
      return a <= b && a <= c ? left : b <= c ? up : corner
    }
    default:
      throw broken('a row is packed in an unknown way')
  }
}

type Paint = (raw: Uint8Array, row: number, x: number, to: number) => void

/** Writes one pixel as RGBA. */
function painter({ depth, type }: Header, palette: Buffer | undefined, transparent: Buffer | undefined, out: Uint8Array): Paint {
  const channels = CHANNELS[type] ?? 1
  const most = 2 ** depth - 1
  const sample = (raw: Uint8Array, row: number, i: number): number => {
    if (depth === 8) return raw[row + i]!
    if (depth === 16) return (raw[row + 2 * i]! << 8) | raw[row + 2 * i + 1]!
    const bit = i * depth
    return (raw[row + (bit >> 3)]! >> (8 - depth - (bit & 7))) & most
  }
  const byte = (value: number): number => (depth === 8 ? value : depth === 16 ? value >> 8 : Math.round((value * 255) / most))
  const hidden =
    type === 3 || transparent === undefined ? undefined : Array.from({ length: channels }, (_, c) => transparent.readUInt16BE(2 * c))
  return (raw, row, x, to) => {
    const s = Array.from({ length: channels }, (_, c) => sample(raw, row, x * channels + c))
    const [a = 0, b = 0, c = 0, d = most] = s
    if (type === 3) {
      for (let i = 0; i < 3; i++) out[to + i] = palette?.[3 * a + i] ?? 0
      out[to + 3] = transparent?.[a] ?? 255
      return
    }
    const isGrey = channels < 3
    out[to] = byte(a)
    out[to + 1] = byte(isGrey ? a : b)
    out[to + 2] = byte(isGrey ? a : c)
    const alpha = channels === 2 ? byte(b) : channels === 4 ? byte(d) : 255
    out[to + 3] = hidden?.every((h, i) => h === s[i]) ? 0 : alpha
  }
}

const broken = (why: string): DeskhandError =>
  new DeskhandError('BAD_ARGS', `the picture is no readable PNG: ${why}`, { next: 'Save it as PNG, or take it anew from a screenshot.' })

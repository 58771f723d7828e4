import type { Picture } from '../image/picture.ts'

const HEAD = 54

/** A Windows bitmap of 24 bits, which every reader of pictures takes. */
export function bitmap({ width, height, data }: Picture): Buffer {
  const stride = Math.ceil((width * 3) / 4) * 4
  const out = Buffer.alloc(HEAD + stride * height)
  out.write('BM', 0, 'latin1')
  out.writeUInt32LE(out.length, 2)
  out.writeUInt32LE(HEAD, 10)
  out.writeUInt32LE(40, 14)
  out.writeInt32LE(width, 18)
  // Negative: the first row is the upper one.
  out.writeInt32LE(-height, 22)
  out.writeUInt16LE(1, 26)
  out.writeUInt16LE(24, 28)
  out.writeUInt32LE(stride * height, 34)
  for (let y = 0; y < height; y++)
    for (let x = 0, to = HEAD + y * stride, from = y * width * 4; x < width; x++, to += 3, from += 4) {
      out[to] = data[from + 2]!
      out[to + 1] = data[from + 1]!
      out[to + 2] = data[from]!
    }
  return out
}

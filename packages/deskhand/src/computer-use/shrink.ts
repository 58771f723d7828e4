import { encodePng, type Frame } from '@deskhand/core/driver'

/** A picture no larger than this, as PNG: each pixel is the mean of those it stands for. */
export async function shrunken(frame: Frame, factor: number): Promise<{ data: Uint8Array; width: number; height: number }> {
  const width = Math.max(1, Math.round(frame.width * factor))
  const height = Math.max(1, Math.round(frame.height * factor))
  const words = new Uint32Array(width * height)
  for (let y = 0; y < height; y++) {
    const rows = part(y, height, frame.height)
    for (let x = 0; x < width; x++) words[y * width + x] = mean(frame, part(x, width, frame.width), rows)
  }
  return { data: await encodePng({ words, width, height, lowest: 'red' }), width, height }
}

/** Which pixels of the large picture one of the small one stands for. */
const part = (at: number, small: number, large: number): [from: number, to: number] => {
  const from = Math.floor((at * large) / small)
  return [from, Math.max(from + 1, Math.floor(((at + 1) * large) / small))]
}

function mean({ data, width }: Frame, [left, right]: [number, number], [top, bottom]: [number, number]): number {
  let [red, green, blue] = [0, 0, 0]
  for (let y = top; y < bottom; y++)
    for (let x = left; x < right; x++) {
      const i = (y * width + x) * 4
      red += data[i]!
      green += data[i + 1]!
      blue += data[i + 2]!
    }
  const count = (right - left) * (bottom - top)
  return (0xff000000 | (Math.round(blue / count) << 16) | (Math.round(green / count) << 8) | Math.round(red / count)) >>> 0
}

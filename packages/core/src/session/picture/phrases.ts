import type { Rect, Region } from '../../model/index.ts'
import { folded } from '../see/folded.ts'

/** So many characters of a text may be read wrongly before it is another text: one in five, and none of a short one. */
const allowedOff = (length: number): number => Math.floor(length / 5)

/**
 * The places where a text stands: lines that say it as a whole, else parts of lines, else what differs from it by a few characters. Only the
 * best of these three are told, and what was read wrongly says what was read and how far off it is.
 */
export function phrasesIn(lines: readonly Region[], wanted: string): Region[] {
  const text = folded(wanted)
  if (text === '') return []
  const whole = lines.filter((line) => folded(line.text ?? '') === text)
  if (whole.length > 0) return whole.map((line) => ({ ...line, text: wanted }))
  const parts = lines.flatMap((line) => runs(line).filter((run) => folded(run.read) === text))
  if (parts.length > 0) return parts.map(({ rect, confidence }) => ({ rect, confidence, source: 'ocr', text: wanted }))
  const most = allowedOff([...text].length)
  if (most === 0) return []
  const near = lines.flatMap((line) => {
    const close = runs(line)
      .map((run) => ({ ...run, off: distance(folded(run.read), text, most) }))
      .filter((run) => run.off <= most)
      .toSorted((a, b) => a.off - b.off)
    return close.slice(0, 1)
  })
  const best = Math.min(...near.map((n) => n.off))
  return near
    .filter((n) => n.off === best)
    .map(({ rect, confidence, read, off }) => ({ rect, confidence, source: 'ocr', text: wanted, read, off }))
}

interface Run {
  read: string
  rect: Rect
  confidence: number
}

/** Every run of words that follow each other. */
function runs({ words, text = '', rect, confidence }: Region): Run[] {
  if (words === undefined || words.length === 0) return [{ read: text, rect, confidence }]
  const found: Run[] = []
  for (let from = 0; from < words.length; from++)
    for (let to = from + 1; to <= Math.min(words.length, from + MOST_WORDS); to++) {
      const part = words.slice(from, to)
      found.push({
        read: part.map((w) => w.text).join(' '),
        rect: around(part.map((w) => w.rect)),
        confidence: Math.min(...part.map((w) => w.confidence)),
      })
    }
  return found
}
const MOST_WORDS = 12

function around(rects: readonly Rect[]): Rect {
  const x = Math.min(...rects.map((r) => r.x))
  const y = Math.min(...rects.map((r) => r.y))
  return { x, y, w: Math.max(...rects.map((r) => r.x + r.w)) - x, h: Math.max(...rects.map((r) => r.y + r.h)) - y }
}

/** How many characters have to be changed, added or left out; counts no further than `most`. */
function distance(a: string, b: string, most: number): number {
  const [left, right] = [[...a], [...b]]
  if (Math.abs(left.length - right.length) > most) return most + 1
  let row = Array.from({ length: right.length + 1 }, (_, i) => i)
  for (const [i, char] of left.entries()) {
    const next = [i + 1]
    for (let j = 0; j < right.length; j++) next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (char === right[j] ? 0 : 1)))
    row = next
  }
  return row.at(-1)!
}

import type { Rect, Region } from '../../model/index.ts'

type Mask = (text: string) => string

/** Words of a line that look private, and what they probably say; `isWhole`: all of them, as that shows only when they are read a little differently. */
interface PrivateRun {
  words: readonly { text: string; rect: Rect; confidence: number }[]
  text: string
  isWhole: boolean
}

/** The words of a line from the first that is private to the last, where there are any. */
export function privateRun({ rect, text = '', confidence, ...line }: Region, mask: Mask): PrivateRun | undefined {
  const words = line.words ?? [{ text, rect, confidence }]
  const plain = words.map((w) => w.text).join(' ')
  const masked = mask(plain)
  if (masked === plain) {
    const said = asPrivate(plain, mask)
    return said === plain ? undefined : { words, text: said, isWhole: true }
  }
  let [from, end] = [0, 0]
  while (plain[from] === masked[from]) from++
  while (end < plain.length - from && end < masked.length - from && plain.at(-1 - end) === masked.at(-1 - end)) end++
  let at = 0
  const inside = words.filter((word) => {
    const start = at
    at += word.text.length + 1
    return start < plain.length - end && start + word.text.length > from
  })
  return inside.length === 0
    ? { words, text: plain, isWhole: true }
    : { words: inside, text: inside.map((w) => w.text).join(' '), isWhole: false }
}

/** A text that was read; where only what it probably says looks private, that, so that masks know it. */
export const asPrivate = (text: string, mask: Mask): string =>
  mask(text) === text ? (readings(text).find((reading) => mask(reading) !== reading) ?? text) : text

/** What a line may say that was not read quite right: spaces come and go, also between letters and digits, and some letters look like digits. */
function readings(text: string): string[] {
  const digits = text.replaceAll(/\S*\d\S*/g, (word) => word.replaceAll(/[Il|]/g, '1').replaceAll(/[Oo]/g, '0').replaceAll('B', '8'))
  return [text, digits].flatMap((t) => [t, t.replaceAll(' ', ''), t.replaceAll(/(\p{L})(?=\d)|(\d)(?=\p{L})/gu, '$& ')])
}

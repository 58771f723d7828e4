import { union, type Principal, type Rect, type Region } from '../../model/index.ts'
import { maskText } from '../../redaction/index.ts'
import type { Redactor } from '../ports.ts'
import type { HiddenArea } from './hidden-area.ts'
import type { Recognition } from './recognition.ts'

interface PrivatePixelsNeeds {
  recognition: Pick<Recognition, 'forMasks'>
  redactor: Pick<Redactor, 'text'>
}

/** Where text that only pixels show looks private, as far as it can be read. What cannot be checked is hidden whole. */
export class PrivatePixels {
  readonly #on: PrivatePixelsNeeds

  constructor(needs: PrivatePixelsNeeds) {
    this.#on = needs
  }

  /** Waits until everything that was drawn is read; empty where nothing here can read. */
  async look(who: Principal): Promise<HiddenArea[]> {
    const { recognition, redactor } = this.#on
    const mask = (text: string): string => maskText(redactor.text(text))
    const lines = await recognition.forMasks(who).catch((): 'unknown' => 'unknown')
    if (lines === 'unknown') return [{ rect: EVERYWHERE, why: 'private' }]
    return lines.flatMap((line) => privateIn(line, mask).map((rect): HiddenArea => ({ rect, why: 'private' })))
  }
}

const EVERYWHERE: Rect = { x: -1e6, y: -1e6, w: 2e6, h: 2e6 }

/** Letters reach a little beyond where a word was read. */
const RIM = 3

/** The words of a line from the first that is private to the last; all of it where that shows only when it is read a little differently. */
export function privateIn({ rect, text = '', ...line }: Region, mask: (text: string) => string): Rect[] {
  const words: readonly { text: string; rect: Rect }[] = line.words ?? [{ text, rect }]
  const plain = words.map((w) => w.text).join(' ')
  const masked = mask(plain)
  if (masked === plain) return readings(plain).some((reading) => mask(reading) !== reading) ? [grown(rect)] : []
  let [from, end] = [0, 0]
  while (plain[from] === masked[from]) from++
  while (end < plain.length - from && end < masked.length - from && plain.at(-1 - end) === masked.at(-1 - end)) end++
  let at = 0
  const inside = words.filter((word) => {
    const start = at
    at += word.text.length + 1
    return start < plain.length - end && start + word.text.length > from
  })
  return inside.length === 0 ? [grown(rect)] : [grown(inside.map((w) => w.rect).reduce(union))]
}

/** What a line may say that was not read quite right: spaces come and go, also between letters and digits, and some letters look like digits. */
function readings(text: string): string[] {
  const digits = text.replaceAll(/\S*\d\S*/g, (word) => word.replaceAll(/[Il|]/g, '1').replaceAll(/[Oo]/g, '0').replaceAll('B', '8'))
  return [text, digits].flatMap((t) => [t, t.replaceAll(' ', ''), t.replaceAll(/(\p{L})(?=\d)|(\d)(?=\p{L})/gu, '$& ')])
}

const grown = ({ x, y, w, h }: Rect): Rect => ({ x: x - RIM, y: y - RIM, w: w + 2 * RIM, h: h + 2 * RIM })

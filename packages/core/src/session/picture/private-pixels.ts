import { union, type Principal, type Rect, type Region } from '../../model/index.ts'
import type { PrivateText } from '../../redaction/index.ts'
import type { Redactor } from '../ports.ts'
import type { HiddenArea } from './hidden-area.ts'
import { privateRun } from './private-run.ts'
import type { Recognition } from './recognition.ts'

interface PrivatePixelsNeeds {
  recognition: Pick<Recognition, 'forMasks'>
  redactor: Pick<Redactor, 'text'>
  /** What looks private by the policy as it is now. */
  privateText(): Pick<PrivateText, 'text'>
}

/** Where text that only pixels show looks private, as far as it can be read. What cannot be checked is hidden whole. */
export class PrivatePixels {
  readonly #on: PrivatePixelsNeeds

  constructor(needs: PrivatePixelsNeeds) {
    this.#on = needs
  }

  /** Waits until everything that was drawn is read; empty where nothing here can read. */
  async look(who: Principal): Promise<HiddenArea[]> {
    const { recognition, redactor, privateText } = this.#on
    const { text: isPrivate } = privateText()
    const mask = (text: string): string => isPrivate(redactor.text(text))
    const lines = await recognition.forMasks(who).catch((): 'unknown' => 'unknown')
    if (lines === 'unknown') return [{ rect: EVERYWHERE, why: 'private' }]
    return lines.flatMap((line) => privateIn(line, mask).map((rect): HiddenArea => ({ rect, why: 'private' })))
  }
}

const EVERYWHERE: Rect = { x: -1e6, y: -1e6, w: 2e6, h: 2e6 }

/** Letters reach a little beyond where a word was read. */
const RIM = 3

/** The words of a line from the first that is private to the last; all of it where that shows only when it is read a little differently. */
export function privateIn(line: Region, mask: (text: string) => string): Rect[] {
  const run = privateRun(line, mask)
  return run === undefined ? [] : [grown(run.isWhole ? line.rect : run.words.map((w) => w.rect).reduce(union))]
}

const grown = ({ x, y, w, h }: Rect): Rect => ({ x: x - RIM, y: y - RIM, w: w + 2 * RIM, h: h + 2 * RIM })

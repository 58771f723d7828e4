import { appWords, type TextSource } from '../model/index.ts'
import { sameServer } from './url.ts'

/**
 * A text is tainted when two or more words in a row of at least 12 characters, a token of at least 6 with a digit or 8 with a sign as in
 * addresses and paths, or 6 Chinese or Japanese characters in a row were shown on the screen: common words alone never are.
 */
export function tainted(text: string, seenOnScreen: ScreenText | Iterable<string>): boolean {
  const seen = seenOnScreen instanceof ScreenText ? seenOnScreen : new ScreenText(seenOnScreen)
  for (const mark of marks(text)) if (seen.has(mark)) return true
  return false
}

/** What was shown, kept as the marks that give a copied text away, each with where it was seen; grows to `limit` marks, then forgets the oldest. */
export class ScreenText {
  readonly #marks = new Map<string, readonly TextSource[]>()
  readonly #limit: number

  constructor(texts: Iterable<string> = [], limit = 200_000) {
    this.#limit = limit
    for (const text of texts) this.add(text)
  }

  /** Without a source it is known that it was shown, and not where. */
  add(text: string, source?: TextSource): void {
    for (const mark of marks(text)) {
      const known = this.#marks.get(mark) ?? NOWHERE
      this.#marks.delete(mark)
      this.#marks.set(
        mark,
        source === undefined || known.some((s) => samePlace(s, source)) ? known : [source, ...known].slice(0, MOST_SOURCES),
      )
    }
    for (const oldest of this.#marks.keys()) {
      if (this.#marks.size <= this.#limit) break
      this.#marks.delete(oldest)
    }
  }

  has(mark: string): boolean {
    return this.#marks.has(mark)
  }

  /** Where parts of this text were shown that none of these places showed; one without an application where that is not known. */
  carried(text: string, to: readonly TextSource[] = []): TextSource[] {
    const found: TextSource[] = []
    for (const mark of marks(text)) {
      const known = this.#marks.get(mark)
      if (known === undefined || known.some((source) => to.some((place) => samePlace(source, place)))) continue
      for (const source of known.length === 0 ? [UNKNOWN_SOURCE] : known)
        if (found.length < MOST_SOURCES && !found.some((s) => samePlace(s, source))) found.push(source)
    }
    return found
  }
}

/** A text of which it is not known where it was. */
export const UNKNOWN_SOURCE: TextSource = {}
const NOWHERE: readonly TextSource[] = []
const MOST_SOURCES = 4

/** Whether both are of one application, and of one server where they are pages. */
export function samePlace(a: TextSource, b: TextSource): boolean {
  if (a.app === undefined || b.app === undefined) return a.app === b.app
  if (appWords(a.app) !== appWords(b.app)) return false
  return !a.url || !b.url || sameServer(a.url, [b.url])
}

/** Two texts that share such a run share a mark: a mark is the shortest run from its first word on, so it is the same in both. */
function* marks(text: string): Generator<string> {
  const short = text.slice(0, LONGEST)
  const isAscii = ASCII.test(short)
  const clean = (isAscii ? short : short.normalize('NFKC').replaceAll(/\p{Cf}/gu, '')).toLowerCase()
  const words = clean
    .split(/\s+/)
    .map(bare)
    .filter((w) => w !== '')
  for (const [i, word] of words.entries()) {
    if (telling(word)) yield word
    const run = shortestRun(words, i)
    if (run !== undefined) yield run
  }
  if (isAscii) return
  for (const [unspaced] of clean.matchAll(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]{6,}/gu)) {
    const characters = Array.from(unspaced)
    for (let i = 0; i + 6 <= characters.length; i++) yield characters.slice(i, i + 6).join('')
  }
}

const LONGEST = 100_000
const ASCII = /^[\x00-\x7f]*$/

/** Without the signs around it; by hand, as a regex for the end of a word takes quadratic time on a hostile one. */
function bare(word: string): string {
  const start = word.search(/[\p{L}\p{N}]/u)
  let end = word.length
  while (end > start && !/[\p{L}\p{N}\p{Cs}]/u.test(word.charAt(end - 1))) end--
  return start < 0 ? '' : word.slice(start, end)
}

const telling = (word: string): boolean => (word.length >= 6 && /\p{N}/u.test(word)) || (word.length >= 8 && /[@/\\:=_.]/.test(word))

function shortestRun(words: readonly string[], start: number): string | undefined {
  let run = words[start] ?? ''
  for (let i = start + 1; i < words.length; i++) {
    run += ` ${words[i] ?? ''}`
    if (run.length >= 12) return run
  }
  return undefined
}

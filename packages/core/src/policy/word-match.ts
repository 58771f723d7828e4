import { disguises } from './look-alikes.ts'
import { unmarked } from './fold.ts'
import { allWords, type Words } from './words.ts'

export type WordKind = Exclude<keyof Words, 'harmless'>
export type WordHits = ReadonlyMap<WordKind, string>

/** Lists of telling words, ready to be looked for. */
export class WordFinder {
  readonly #words: () => readonly Words[]
  readonly #known = new Map<string, WordHits>()
  #lists: Lists | undefined

  /** The words are asked for when a name is first looked at. */
  constructor(words: () => readonly Words[]) {
    this.#words = words
  }

  /** The telling words in a name, one per kind at most, as the lists have them. The same names come again with every call. */
  find(name: string): WordHits {
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const hits = search(name, (this.#lists ??= prepare(this.#words())))
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    this.#known.set(name, hits)
    return hits
  }
}

const OWN = new WordFinder(allWords)

/** The same with Deskhand's own lists. */
export const findWords = (name: string): WordHits => OWN.find(name)

const MOST_KNOWN = 2_000

function search(name: string, lists: Lists): WordHits {
  const hits = new Map<WordKind, string>()
  if (name === '') return hits
  const clean = plain(name.slice(0, LONGEST_NAME))
  // a mnemonic mark may stand before a word ("_Delete") or inside it ("De_lete")
  const marked = clean.includes('_') || clean.includes('&') ? [clean.replaceAll(/[_&]/g, '')] : []
  for (const text of [clean, ...marked, ...disguises(name.slice(0, LONGEST_NAME))]) {
    const tokens = tokenize(text)
    tokens.forEach((token, i) => {
      for (const entry of lists.starts.get(token) ?? []) {
        if (!hits.has(entry.kind) && fits(entry, tokens, i)) hits.set(entry.kind, entry.word)
      }
    })
  }
  if (UNSPACED.test(clean)) findUnspaced(name.slice(0, LONGEST_NAME), lists, hits)
  return hits
}

/** Lower case, without accents, compatibility forms and invisible characters. */
export function plain(text: string): string {
  return unmarked(text.normalize('NFKD'))
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[ıłøđ\u0640]/g, (char) => STROKES.get(char) ?? '')
}

/** Letters that people write without their stroke or dot, and the Arabic one that only makes a word longer. */
const STROKES: ReadonlyMap<string, string> = new Map(['ıi', 'łl', 'øo', 'đd'].map((pair) => [pair.slice(0, 1), pair.slice(1)]))

export const tokenize = (text: string): string[] => text.split(/[^\p{L}\p{N}\p{M}]+/u).filter((t) => t !== '')

const LONGEST_NAME = 2000
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|\p{S}|\p{Extended_Pictographic}/u

interface Entry {
  kind: WordKind
  word: string
  tokens: readonly string[]
  whole: boolean
}

interface Lists {
  /** By the first word of each. */
  starts: ReadonlyMap<string, readonly Entry[]>
  /** Those that count wherever they stand. */
  anywhere: readonly Omit<Entry, 'tokens'>[]
  harmless: readonly string[]
}

export const WORD_KINDS = ['destructive', 'committing', 'paying', 'paymentField'] as const satisfies readonly WordKind[]

function prepare(all: readonly Words[]): Lists {
  const starts = new Map<string, Entry[]>()
  const anywhere: Omit<Entry, 'tokens'>[] = []
  for (const language of all) {
    for (const kind of WORD_KINDS) {
      for (const listed of language[kind]) {
        const word = listed.replace(/^=/, '')
        const whole = listed !== word
        const tokens = tokenize(plain(word))
        const [first] = tokens
        if (first === undefined || UNSPACED.test(word)) anywhere.push({ kind, word, whole })
        else starts.set(first, [...(starts.get(first) ?? []), { kind, word, tokens, whole }])
      }
    }
  }
  return { starts, anywhere, harmless: all.flatMap((w) => w.harmless) }
}

function fits(entry: Entry, tokens: readonly string[], start: number): boolean {
  if (entry.whole && tokens.length !== entry.tokens.length) return false
  return entry.tokens.every((t, i) => tokens[start + i] === t)
}

function findUnspaced(text: string, { anywhere, harmless }: Lists, hits: Map<WordKind, string>): void {
  // the marks on kana make other letters, so they stay
  let rest = text.normalize('NFKC').replaceAll(/[\p{Cf}\ufe0e\ufe0f]/gu, '')
  for (const other of harmless) rest = rest.replaceAll(other, ' ')
  const whole = rest.trim()
  for (const { kind, word, whole: isWhole } of anywhere)
    if (!hits.has(kind) && (isWhole ? whole === word : rest.includes(word))) hits.set(kind, word)
}

/** Whether a name has a word for what cannot be undone. */
export const destroys = (name: string): boolean => findWords(name).has('destructive')

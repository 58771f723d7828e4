import { disguises } from './look-alikes.ts'
import { NOT, WORDS, type Words } from './words.ts'

export type WordKind = keyof Words
export type WordHits = ReadonlyMap<WordKind, string>

/** The telling words in a name, one per kind at most, as the lists have them. The same names come again with every call. */
export function findWords(name: string): WordHits {
  const known = KNOWN.get(name)
  if (known !== undefined) return known
  const hits = search(name)
  if (KNOWN.size >= MOST_KNOWN) KNOWN.clear()
  KNOWN.set(name, hits)
  return hits
}

const KNOWN = new Map<string, WordHits>()
const MOST_KNOWN = 2_000

function search(name: string): WordHits {
  const hits = new Map<WordKind, string>()
  if (name === '') return hits
  const clean = plain(name.slice(0, LONGEST_NAME))
  // a mnemonic mark may stand before a word ("_Delete") or inside it ("De_lete")
  const marked = clean.includes('_') || clean.includes('&') ? [clean.replaceAll(/[_&]/g, '')] : []
  for (const text of [clean, ...marked, ...disguises(name.slice(0, LONGEST_NAME))]) {
    const tokens = tokenize(text)
    tokens.forEach((token, i) => {
      for (const entry of STARTS.get(token) ?? []) {
        if (!hits.has(entry.kind) && fits(entry, tokens, i)) hits.set(entry.kind, entry.word)
      }
    })
  }
  if (UNSPACED.test(clean)) findUnspaced(name.slice(0, LONGEST_NAME), hits)
  return hits
}

/** Lower case, without accents, compatibility forms and invisible characters. */
export function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[\p{Mn}\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
    .normalize('NFC')
    .toLowerCase()
}

export const tokenize = (text: string): string[] => text.split(/[^\p{L}\p{N}]+/u).filter((t) => t !== '')

const LONGEST_NAME = 2000
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u

interface Entry {
  kind: WordKind
  word: string
  tokens: readonly string[]
  whole: boolean
}

const KINDS: readonly WordKind[] = ['destructive', 'committing', 'paying', 'paymentField']
const STARTS = new Map<string, Entry[]>()
const ANYWHERE: { kind: WordKind; word: string }[] = []
for (const language of Object.values(WORDS)) {
  for (const kind of KINDS) {
    for (const listed of language[kind]) {
      const word = listed.replace(/^=/, '')
      if (UNSPACED.test(word)) {
        ANYWHERE.push({ kind, word })
        continue
      }
      const tokens = tokenize(plain(word))
      const [first = ''] = tokens
      STARTS.set(first, [...(STARTS.get(first) ?? []), { kind, word, tokens, whole: listed.startsWith('=') }])
    }
  }
}

function fits(entry: Entry, tokens: readonly string[], start: number): boolean {
  if (entry.whole && tokens.length !== entry.tokens.length) return false
  return entry.tokens.every((t, i) => tokens[start + i] === t)
}

function findUnspaced(text: string, hits: Map<WordKind, string>): void {
  // the marks on kana make other letters, so they stay
  let rest = text.normalize('NFKC').replaceAll(/\p{Cf}/gu, '')
  for (const other of NOT) rest = rest.replaceAll(other, ' ')
  for (const { kind, word } of ANYWHERE) if (!hits.has(kind) && rest.includes(word)) hits.set(kind, word)
}

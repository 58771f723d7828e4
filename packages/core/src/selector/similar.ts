import { plain } from './quote.ts'

const MOST = 64

/** How like a wanted text another one is, 0…1: shared pairs of letters; one that holds the other, or has its letters in another order, is very like it. */
export function similarity(wanted: string): (text: string) => number {
  const want = even(wanted)
  const pairs = new Set(pairsOf(want))
  const letters = sorted(want)
  return (text) => {
    if (text === '' || want === '') return 0
    const other = even(text)
    if (other === want) return 0.95
    if (want.length > 1 && other.length > 1 && (other.includes(want) || want.includes(other))) return 0.9
    if (other.length === want.length && sorted(other) === letters) return 0.8
    const own = pairsOf(other)
    if (own.length + pairs.size === 0) return 0
    return (2 * own.filter((p) => pairs.has(p)).length) / (own.length + pairs.size)
  }
}

const even = (text: string): string =>
  plain(text.slice(0, 4 * MOST))
    .toLowerCase()
    .slice(0, MOST)

const sorted = (text: string): string => [...text].toSorted().join('')

function pairsOf(text: string): string[] {
  const pairs: string[] = []
  for (let i = 0; i + 1 < text.length; i++) pairs.push(text.slice(i, i + 2))
  return pairs
}

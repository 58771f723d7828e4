import { DeskhandError } from '../errors.ts'
import { ROLES, toRole } from '../model/index.ts'
import { FLAG_KEYS, RELATIONS } from './ast.ts'
import { clip } from './quote.ts'

/** What may stand after a complete step. */
export const NEXT = '"&&", "||", ">>", "??" or the end'

/** BAD_SELECTOR with the place marked: the column counts from 1. */
export function badSelector(text: string, at: number, expected: string, hint?: string): DeskhandError {
  const found = at < text.length ? clip(/\S{1,20}/y.exec(text.slice(at))?.[0] ?? text.slice(at, at + 1)) : 'the end'
  const from = Math.max(0, at - 60)
  const shown = text.slice(from, at + 40).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
  const message = [
    `Column ${at + 1}: expected ${expected}, found ${found}${hint ? `; ${hint}` : ''}`,
    `  ${shown}`,
    `  ${' '.repeat(at - from)}^`,
  ].join('\n')
  return new DeskhandError('BAD_SELECTOR', message, { details: { column: at + 1, expected } })
}

export function hintForRole(word: string): string {
  const near = nearest(word, ROLES)
  return near ? `did you mean role=${near}?` : `the roles are ${ROLES.join(', ')}`
}

export function hintForKey(word: string, keys: readonly string[]): string {
  const lower = word.toLowerCase()
  if (RELATIONS.some((r) => r === lower)) return `a relation stands between two steps: name="Total" >> ${lower} >> role=textbox`
  if (lower === 'nth') return 'nth stands after a step: role=button >> nth=0'
  if (SYNONYMS[lower]) return `write ${SYNONYMS[lower]}=…`
  const near = nearest(word, keys)
  if (near) return `did you mean ${near}${FLAG_KEYS.some((f) => f === near) ? '=true' : ''}?`
  if (toRole(word)) return `a role is written role=${toRole(word)}`
  return `the keys are ${keys.join(', ')} and attr.<name>`
}

export function hintForPrefix(word: string, known: readonly string[]): string | undefined {
  const near = nearest(word, known)
  return near && `did you mean ${near}:?`
}

const SYNONYMS: Record<string, string> = {
  title: 'name',
  caption: 'name',
  content: 'text',
  type: 'role',
  class: 'role',
  control: 'role',
  controltype: 'role',
  id: 'attr.id',
  placeholder: 'description',
  tooltip: 'description',
  process: 'app',
  disabled: 'enabled',
  hidden: 'visible',
}

/** The word that needs the fewest edits, if those are few. */
function nearest(word: string, known: readonly string[]): string | undefined {
  const from = word.toLowerCase().slice(0, 40)
  const ranked = known.map((k) => ({ k, cost: edits(from, k.toLowerCase()) })).toSorted((a, b) => a.cost - b.cost)
  const best = ranked[0]
  return best && best.cost <= Math.max(1, Math.floor(from.length / 3)) ? best.k : undefined
}

function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

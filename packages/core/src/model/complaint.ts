import type { z } from 'zod'
import { nearest } from './nearest.ts'

type Issue = z.core.$ZodIssue

/** What is wrong with arguments, in words that say what to write instead; with `noun`, with something else that has keys. */
export function complaints(issues: readonly Issue[], args: unknown, known: readonly string[], noun = 'argument'): string[] {
  // What is of another type breaks no further rule.
  const isOther = new Set(issues.filter(({ code }) => code === 'invalid_type').map(({ path }) => path.join('.')))
  const told = issues.filter(({ code, path }) => code === 'invalid_type' || path.length === 0 || !isOther.has(path.join('.')))
  return told.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => unknownKey(key, issue, known, noun)) : [about(issue, args)],
  )
}

function unknownKey(key: string, { path }: Issue, known: readonly string[], noun: string): string {
  if (path.length > 0) return `${path.join('.')} has no ${JSON.stringify(key)}`
  const meant = nearest(key, known)
  const help = meant ? `did you mean ${meant}?` : known.length ? `there are: ${known.join(', ')}` : 'it takes none'
  return `there is no ${noun} ${JSON.stringify(key)} (${help})`
}

function about(issue: Issue, args: unknown): string {
  const { path } = issue
  const name = path.join('.') || 'arguments'
  const given = path.reduce<unknown>((at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined), args)
  return given === undefined ? `${name} is missing` : `${name}: ${wording(issue)}`
}

/** What to write instead, in plain words; a type that the schema describes itself keeps its description. */
function wording(issue: Issue): string {
  const counts = 'origin' in issue && (issue.origin === 'string' || issue.origin === 'array')
  switch (issue.code) {
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`
    case 'invalid_type':
      return issue.message.startsWith('Invalid')
        ? `must be ${/^[aeio]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`
        : issue.message
    case 'too_big':
      return `must ${counts ? 'have' : 'be'} at most ${issue.maximum}`
    case 'too_small':
      return counts && issue.minimum === 1 ? 'must not be empty' : `must ${counts ? 'have' : 'be'} at least ${issue.minimum}`
    default:
      return issue.message
  }
}

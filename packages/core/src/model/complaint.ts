import type { z } from 'zod'
import { nearest } from './nearest.ts'

type Issue = z.core.$ZodIssue

/** What is wrong with arguments, in words that say what to write instead. */
export function complaints(issues: readonly Issue[], args: unknown, known: readonly string[]): string[] {
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => unknownKey(key, issue, known)) : [about(issue, args)],
  )
}

function unknownKey(key: string, { path }: Issue, known: readonly string[]): string {
  if (path.length > 0) return `${path.join('.')} has no ${JSON.stringify(key)}`
  const meant = nearest(key, known)
  const help = meant ? `did you mean ${meant}?` : known.length ? `there are: ${known.join(', ')}` : 'it takes none'
  return `there is no argument ${JSON.stringify(key)} (${help})`
}

function about({ path, message }: Issue, args: unknown): string {
  const name = path.join('.') || 'arguments'
  const given = path.reduce<unknown>((at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined), args)
  return given === undefined ? `${name} is missing` : `${name}: ${message}`
}

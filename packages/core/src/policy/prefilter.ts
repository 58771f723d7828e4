import { fieldPattern } from './args.ts'
import { fold, type Call } from './call.ts'
import type { RuleSpec } from './rule.ts'
import { lowerHost } from './url.ts'

/** A text that must occur in one field of a call for a rule to match; most rules need no further test. */
export interface Prefilter {
  field: PrefilterField
  literal: string
}

export const PREFILTER_FIELDS = ['args', 'app', 'process', 'name', 'window', 'url', 'text'] as const
export type PrefilterField = (typeof PREFILTER_FIELDS)[number]

/** The longest such text of a rule; undefined when no text is certain to occur. */
export function prefilterOf(spec: RuleSpec): Prefilter | undefined {
  const { when = {} } = spec
  const found: Prefilter[] = []
  const add = (field: PrefilterField, literal: string): void => void (literal !== '' && found.push({ field, literal }))
  if (spec.argsPattern !== undefined) {
    const fielded = fieldPattern(spec.argsPattern)
    add('args', regexLiteral(fielded?.value ?? spec.argsPattern) || (fielded?.field === undefined ? '' : `"${fielded.field}":`))
  }
  add(
    'app',
    only(when.app, (g) => globLiteral(g.toLowerCase())),
  )
  add('process', only(when.process, globLiteral))
  add('name', only(when.name, freeLiteral))
  add('window', only(when.window, freeLiteral))
  add('text', only(when.text, freeLiteral))
  add(
    'url',
    only(when.url, (g) => globLiteral(lowerHost(g))),
  )
  return found.toSorted((a, b) => b.literal.length - a.literal.length)[0]
}

/** The text that a prefilter is searched in; those of several targets are joined. */
export function prefilterText(call: Call, field: PrefilterField): string {
  switch (field) {
    case 'args':
      return call.args?.flat ?? ''
    case 'app':
      return call.targets.flatMap((t) => t.app.claimed).join('\n')
    case 'process':
      return call.targets.map((t) => t.facts.app?.executable ?? '').join('\n')
    case 'name':
      return call.targets.flatMap((t) => [t.name, ...t.says]).join('\n')
    case 'window':
      return call.targets.map((t) => t.window).join('\n')
    case 'url':
      return call.targets.map((t) => t.url?.whole ?? '').join('\n')
    case 'text':
      return call.text
    default:
      return field satisfies never
  }
}

/** The longest run of plain characters outside of classes and alternatives. */
export function globLiteral(pattern: string): string {
  const bare = pattern.replaceAll(/\\./gs, '*').replaceAll(/\[.[^\]]*\]/gs, '*')
  const flat = bare.replaceAll(/\{[^{}]*\}/g, '*')
  return /[{}]/.test(flat) ? '' : longest(flat.split(/[*?[\]]/))
}

/** The longest run of letters and digits that every match must hold; no quotes or escapes, as those differ inside nested values. */
export function regexLiteral(pattern: string): string {
  if (/\(\?[^:)]*[a-z]/.test(pattern)) return ''
  let flat = pattern
    .replaceAll(/\\(?:x[0-9a-f]{2}|x\{[0-9a-f]+\}|u[0-9a-f]{4}|Q.*|[pP]\{[^}]*\}|\d+|.)/gis, '\0')
    .replaceAll(/\[\^?.[^\]]*\]/gs, '\0')
  for (let before = ''; before !== flat;) {
    before = flat
    flat = flat.replaceAll(/\([^()]*\)/g, '\0')
  }
  if (/[|()[\]]/.test(flat)) return ''
  // a quantified character may be absent
  return longest(flat.replaceAll(/.[?*]|.\{[^}]*\}/gs, '\0').split(/[^A-Za-z0-9_ -]+/))
}

function freeLiteral(pattern: string): string {
  const regex = /^\/(.+)\/i?$/s.exec(pattern)?.[1]
  return regex === undefined ? globLiteral(fold(pattern)) : fold(regexLiteral(regex))
}

function only(globs: string | readonly string[] | undefined, literal: (glob: string) => string): string {
  const list = globs === undefined ? [] : typeof globs === 'string' ? [globs] : globs
  return list.length === 1 && list[0] !== undefined ? literal(list[0]) : ''
}

const longest = (runs: readonly string[]): string => runs.reduce((best, run) => (run.length > best.length ? run : best), '')

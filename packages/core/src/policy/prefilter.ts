import { fieldPattern } from './args.ts'
import type { Call, SeenTarget } from './call.ts'
import { fold, foldGlob, type Spelling } from './fold.ts'
import { pathLiteral, searchedPath } from './path-glob.ts'
import type { RuleSpec } from './rule.ts'
import { globLiteral, longest } from './glob.ts'
import { lowerHost, withoutDots } from './url.ts'

/** A text that must occur in one field of a call for a rule to match; most rules need no further test. */
export interface Prefilter {
  field: PrefilterField
  literal: string
}

export const PREFILTER_FIELDS = [
  'args',
  'app',
  'process',
  'name',
  'exact name',
  'window',
  'exact window',
  'url',
  'text',
  'exact text',
] as const
export type PrefilterField = (typeof PREFILTER_FIELDS)[number]

/** The longest such text of a rule; undefined when no text is certain to occur. */
export function prefilterOf(spec: RuleSpec): Prefilter | undefined {
  const { when = {} } = spec
  const lets = spec.decision === 'allow'
  const found: Prefilter[] = []
  const add = (field: PrefilterField, literal: string): void => void (literal !== '' && found.push({ field, literal }))
  if (spec.argsPattern !== undefined) {
    const fielded = fieldPattern(spec.argsPattern)
    add('args', regexLiteral(fielded?.value ?? spec.argsPattern) || (fielded?.field === undefined ? '' : `"${fielded.field}":`))
  }
  add(
    'app',
    only(when.app, (g) => (lets ? globLiteral(g.toLowerCase()) : foldedLiteral(g))),
  )
  add('process', only(when.process, pathLiteral))
  for (const field of ['name', 'window', 'text'] as const) {
    const isExact = lets || /[\n\r\t]/.test([when[field] ?? ''].flat().join(''))
    add(
      isExact ? `exact ${field}` : field,
      only(when[field], (g) => freeLiteral(g, isExact)),
    )
  }
  add(
    'url',
    only(when.url, (g) => globLiteral(hostOf(g))),
  )
  return found.toSorted((a, b) => b.literal.length - a.literal.length)[0]
}

/** The text that a prefilter is searched in, those of several targets joined; undefined when a fact is not known, so that it excludes nothing. */
export function prefilterText(call: Call, field: PrefilterField): string | undefined {
  if (call.touchesUnknown) return undefined
  const joined = (texts: readonly (string | undefined)[]): string | undefined => (texts.includes(undefined) ? undefined : texts.join('\n'))
  const { targets } = call
  switch (field) {
    case 'args':
      return call.args?.flat ?? ''
    case 'app':
      return joined(targets.map((t) => (t.facts.app === undefined ? undefined : t.app.claimed.join('\n'))))
    case 'process':
      return joined(targets.map(({ facts: { app } }) => (app?.executable === undefined ? undefined : searchedPath(app.executable))))
    case 'name':
      return joined(targets.map((t) => (t.says.length === 0 ? undefined : t.says.map(readings).join('\n'))))
    case 'exact name':
      return targets.map((t) => t.name.exact).join('\n')
    case 'window':
      return joined(targets.map((t) => (t.window.folded === '' ? undefined : readings(t.window))))
    case 'exact window':
      return targets.map((t) => t.window.exact).join('\n')
    case 'url':
      return joined(targets.map(urlsOf))
    case 'text':
      return call.entersUnknown ? undefined : readings(call.text)
    case 'exact text':
      return call.entersUnknown ? undefined : call.text.exact
    default:
      return field satisfies never
  }
}

/** Of an address only the host is the same in every reading. */
const hostOf = (pattern: string): string => withoutDots(lowerHost(pattern.replace(/^[^/]*:\/\//, '').replace(/\/.*/s, '')))

function urlsOf({ url, urlsAround, mayHaveUrl }: SeenTarget): string | undefined {
  if (url === undefined && mayHaveUrl) return undefined
  return [...(url === undefined ? [] : [url]), ...urlsAround].map(({ exact, read }) => `${exact.whole}\n${read.whole}`).join('\n')
}

const readings = ({ folded, others }: Spelling): string => (others.length === 0 ? folded : [folded, ...others].join('\n'))

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

function freeLiteral(pattern: string, isExact: boolean): string {
  const regex = /^\/(.+)\/i?$/s.exec(pattern)?.[1]
  if (regex !== undefined) return (isExact ? regexLiteral(regex).toLowerCase() : fold(regexLiteral(regex))).trim()
  return isExact ? globLiteral(pattern.toLowerCase()) : foldedLiteral(pattern)
}

/** White space at an end of what is folded is gone. */
const foldedLiteral = (pattern: string): string => fold(globLiteral(foldGlob(pattern))).trim()

function only(globs: string | readonly string[] | undefined, literal: (glob: string) => string): string {
  const list = globs === undefined ? [] : typeof globs === 'string' ? [globs] : globs
  return list.length === 1 && list[0] !== undefined ? literal(list[0]) : ''
}

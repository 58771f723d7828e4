import { RE2JS } from 're2js'
import type { PrivateKind } from '../model/index.ts'
import { CHECKS, type CheckName } from './checks.ts'

/** A kind of text that is masked by how it looks. `check` must hold as well, where digits alone would say too little. */
export interface Pattern {
  name: string
  /** Text on a screen must not be able to make it slow: an operator's pattern runs in a linear-time engine, in RE2's syntax. */
  pattern: string
  check?: CheckName
}

export const PATTERNS: readonly (Pattern & { name: PrivateKind })[] = [
  { name: 'private-key', pattern: '-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\\sA-Za-z0-9+/=:,.-]{0,10000}' },
  { name: 'token', pattern: '(?<![\\w-])eyJ[\\w-]{8,}\\.[\\w-]{8,}\\.[\\w-]*' },
  { name: 'token', pattern: '(?<![\\w-])(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\\w{40,}|glpat-[\\w-]{20,})' },
  { name: 'token', pattern: '\\b(?:AKIA|ASIA)[0-9A-Z]{16}\\b' },
  { name: 'token', pattern: '(?<![\\w-])(?:[srp]k[-_](?:live|test|ant|proj)[\\w-]{16,}|sk-[A-Za-z0-9]{32,})' },
  { name: 'token', pattern: '(?<![\\w-])(?:xox[abeoprs]-[A-Za-z0-9-]{10,}|AIza[\\w-]{35}|ya29\\.[\\w-]{20,}|npm_[A-Za-z0-9]{36})' },
  { name: 'token', pattern: '\\b[Bb]earer [\\w.~+/-]{16,}=*' },
  { name: 'email', pattern: '[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\\.){1,8}[A-Za-z]{2,24}' },
  { name: 'iban', pattern: '\\b[A-Z]{2}\\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\\b', check: 'iban' },
  { name: 'ssn', pattern: '\\b\\d{3}-\\d{2}-\\d{4}\\b', check: 'usSsn' },
  { name: 'national-id', pattern: '\\b[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\\d{2} ?\\d{2} ?\\d{2} ?[A-D]\\b' },
  {
    name: 'national-id',
    pattern: '\\b[12] ?\\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\\d) ?(?:\\d{2}|2[AB]) ?\\d{3} ?\\d{3} ?\\d{2}\\b',
    check: 'frenchNir',
  },
  { name: 'national-id', pattern: '\\b(?:\\d{8}|[XYZ]\\d{7})-?[A-HJ-NP-TV-Z]\\b', check: 'spanishDni' },
  { name: 'national-id', pattern: '\\b\\d{17}[\\dXx]\\b', check: 'chineseId' },
  { name: 'national-id', pattern: '\\b\\d{3}\\.\\d{3}\\.\\d{3}-\\d{2}\\b', check: 'brazilianCpf' },
  { name: 'national-id', pattern: '\\b[1-9]\\d ?\\d{3} ?\\d{3} ?\\d{3}\\b', check: 'germanTaxId' },
  { name: 'card', pattern: '\\b[2-6](?:[ -]?\\d){12,18}\\b', check: 'card' },
]

/** Replaces every match by `[name]`; earlier patterns are applied first. */
export function maskPatterns(patterns: readonly Pattern[]): (text: string) => string {
  const masks = patterns.map((pattern) => masker(pattern))
  return (text) => masks.reduce((masked, mask) => mask(masked), text)
}

/** The built-in patterns have no slow inputs, so they run in the faster engine. */
const OWN: ReadonlySet<Pattern> = new Set(PATTERNS)

function masker(pattern: Pattern): (text: string) => string {
  const check = pattern.check === undefined ? undefined : CHECKS[pattern.check]
  const put = (found: string): string => (check === undefined || check(found) ? `[${pattern.name}]` : found)
  if (OWN.has(pattern)) {
    const regex = new RegExp(pattern.pattern, 'g')
    return (text) => text.replace(regex, put)
  }
  const regex = RE2JS.compile(RE2JS.translateRegExp(pattern.pattern))
  return (text) => {
    const matcher = regex.matcher(text)
    let masked = ''
    let from = 0
    while (matcher.find()) {
      masked += text.slice(from, matcher.start()) + put(text.slice(matcher.start(), matcher.end()))
      from = matcher.end()
    }
    return masked + text.slice(from)
  }
}

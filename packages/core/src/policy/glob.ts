import { RE2JS, RE2JSException } from 're2js'

export type Test = (text: string) => boolean

/**
 * `*` any run, `?` one character, `[a-z]` and `[!a-z]` classes, `{a,b}` alternatives, `\` takes the next one literally. In a `path`,
 * only `**` crosses a slash. Linear in the text. Throws a SyntaxError.
 */
export function glob(pattern: string, options: { path?: boolean } = {}): Test {
  const path = options.path ?? false
  if (!/[*?[\]{}\\]/.test(pattern)) return (text) => text === pattern
  const [head, ...rest] = pattern.split('*')
  const plain = !path && ![head, ...rest].some((p) => /[?[\]{}\\]/.test(p ?? ''))
  if (plain && head !== undefined && rest.length === 1) {
    const tail = rest[0] ?? ''
    return (text) => text.length >= head.length + tail.length && text.startsWith(head) && text.endsWith(tail)
  }
  const regex = linear(`(?s)^(?:${translate(pattern, path)})$`)
  return (text) => regex.test(text)
}

/** The glob that matches this text and no other. */
export const literal = (text: string): string => text.replaceAll(/[*?[\]{}\\]/g, '\\$&')

/** A regex that runs in linear time. Throws a SyntaxError for what cannot, such as look-ahead. */
export function linear(pattern: string, flags: { ignoreCase?: boolean } = {}): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern), flags.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
  } catch (thrown) {
    if (!(thrown instanceof RE2JSException)) throw thrown
    throw new SyntaxError(
      `${thrown.message.replace('error parsing regexp: ', '')} (regexes here run in linear time: no look-around, no back-references)`,
    )
  }
}

function translate(pattern: string, path: boolean): string {
  let out = ''
  let depth = 0
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern.charAt(i)
    if (c === '\\') out += quote(pattern.charAt(++i))
    else if (c === '*') {
      const deep = pattern[i + 1] === '*'
      if (deep) i++
      out += path && !deep ? '[^/]*' : '.*'
    } else if (c === '?') out += path ? '[^/]' : '.'
    else if (c === '[') {
      const end = pattern.indexOf(']', i + 2)
      if (end < 0) throw new SyntaxError('a "[" in the glob has no "]"')
      const body = pattern.slice(i + 1, end)
      const not = body.startsWith('!') || body.startsWith('^')
      out += `[${not ? '^' : ''}${body.slice(not ? 1 : 0).replaceAll(/[\\[\]^&]/g, '\\$&')}${not && path ? '/' : ''}]`
      i = end
    } else if (c === '{') {
      depth++
      out += '(?:'
    } else if (c === '}' && depth > 0) {
      depth--
      out += ')'
    } else if (c === ',' && depth > 0) out += '|'
    else out += quote(c)
  }
  if (depth > 0) throw new SyntaxError('a "{" in the glob has no "}"')
  return out
}

const quote = (text: string): string => RE2JS.quote(text)

/** The longest run of plain characters outside of classes and alternatives. */
export function globLiteral(pattern: string): string {
  const bare = pattern.replaceAll(/\\./gs, '*').replaceAll(/\[.[^\]]*\]/gs, '*')
  const flat = bare.replaceAll(/\{[^{}]*\}/g, '*')
  return /[{}]/.test(flat) ? '' : longest(flat.split(/[*?[\]]/))
}

export const longest = (runs: readonly string[]): string => runs.reduce((best, run) => (run.length > best.length ? run : best), '')

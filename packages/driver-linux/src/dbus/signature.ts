/** A value together with its type, as D-Bus carries it in a `v`. */
export interface Variant {
  type: string
  value: unknown
}

interface Basic {
  y: number
  b: boolean
  n: number
  q: number
  i: number
  u: number
  x: bigint
  t: bigint
  d: number
  s: string
  o: string
  g: string
  h: number
  v: Variant
}

/** The first complete type of a signature, and the rest of it. */
type Head<S extends string> = S extends `a{${infer R}`
  ? Entry<R>
  : S extends `ay${infer R}`
    ? [Uint8Array, R]
    : S extends `a${infer R}`
      ? Head<R> extends [infer T, infer Rest extends string]
        ? [T[], Rest]
        : never
      : S extends `(${infer R}`
        ? Fields<R, []>
        : S extends `${infer C}${infer R}`
          ? C extends keyof Basic
            ? [Basic[C], R]
            : never
          : never
type Entry<S extends string> =
  Head<S> extends [infer K, infer R extends string] ? (Head<R> extends [infer V, `}${infer Rest}`] ? [Map<K, V>, Rest] : never) : never
type Fields<S extends string, Acc extends unknown[]> = S extends `)${infer R}`
  ? [Acc, R]
  : Head<S> extends [infer T, infer R extends string]
    ? Fields<R, [...Acc, T]>
    : never

/** What a message body with this signature decodes to: `Body<'su'>` is `[string, number]`. */
export type Body<S extends string> = string extends S
  ? unknown[]
  : S extends ''
    ? []
    : Head<S> extends [infer T, infer R extends string]
      ? [T, ...Body<R>]
      : never

export class Malformed extends Error {}

const BASIC = 'ybnqiuxtdsogh'
const MAX_DEPTH = 32

/** Splits a signature into complete types; throws on anything that is not one. */
export function splitSignature(signature: string): string[] {
  if (signature.length > 255) throw new Malformed('a signature is longer than 255')
  const types: string[] = []
  for (let at = 0; at < signature.length;) {
    const end = endOfType(signature, at, 0)
    types.push(signature.slice(at, end))
    at = end
  }
  return types
}

/** How a type's values are aligned, by its first letter. */
export function alignment(type: string): number {
  switch (type[0]) {
    case 'n':
    case 'q':
      return 2
    case 'b':
    case 'i':
    case 'u':
    case 'h':
    case 's':
    case 'o':
    case 'a':
      return 4
    case 'x':
    case 't':
    case 'd':
    case '(':
    case '{':
      return 8
    default:
      return 1
  }
}

function endOfType(s: string, at: number, depth: number): number {
  if (depth > MAX_DEPTH) throw new Malformed('a signature is nested too deeply')
  const c = s[at]
  if (c === undefined) throw new Malformed(`the signature "${s}" ends too early`)
  if (c === 'v' || BASIC.includes(c)) return at + 1
  if (c === 'a') return s[at + 1] === '{' ? endOfEntry(s, at + 1, depth + 1) : endOfType(s, at + 1, depth + 1)
  if (c !== '(') throw new Malformed(`"${c}" is no type in the signature "${s}"`)
  let end = at + 1
  if (s[end] === ')') throw new Malformed('a structure without fields')
  while (s[end] !== ')') end = endOfType(s, end, depth + 1)
  return end + 1
}

function endOfEntry(s: string, at: number, depth: number): number {
  if (!BASIC.includes(s[at + 1] ?? ' ')) throw new Malformed(`a dictionary key of "${s}" is not basic`)
  const end = endOfType(s, at + 2, depth + 1)
  if (s[end] !== '}') throw new Malformed(`a dictionary entry of "${s}" is not closed`)
  return end + 1
}

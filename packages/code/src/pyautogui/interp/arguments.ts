import { error } from './exceptions.ts'
import { PyDict, PyTuple, type Kwargs, type Parameters, type Value } from './values.ts'

/** What is wrong with a call's arguments, in Python's words; undefined when they fit. */
export function misfit(name: string, p: Parameters, count: number, keywords: ReadonlySet<string>): string | undefined {
  const names = p.positional.map((x) => x.name)
  const only = p.positionalOnly ?? 0
  const byName = new Set([...names.slice(only), ...(p.keywordOnly ?? []).map((x) => x.name)])
  const misplaced = names.slice(0, only).filter((n) => keywords.has(n))
  if (misplaced.length > 0 && p.keywords === undefined)
    return `${name}() got some positional-only arguments passed as keyword arguments: '${misplaced.join(', ')}'`
  for (const k of keywords) {
    if (!byName.has(k) && p.keywords === undefined) return `${name}() got an unexpected keyword argument '${k}'`
    if (names.indexOf(k) >= only && names.indexOf(k) < count) return `${name}() got multiple values for argument '${k}'`
  }
  if (count > names.length && p.rest === undefined) return `${name}() takes ${takes(p)} but ${count} ${count === 1 ? 'was' : 'were'} given`
  const lacking = p.positional
    .filter((x, i) => i >= count && x.default === undefined && !(i >= only && keywords.has(x.name)))
    .map((x) => x.name)
  if (lacking.length > 0) return `${name}() missing ${lacking.length} required positional argument${plural(lacking)}: ${enumerate(lacking)}`
  const unnamed = (p.keywordOnly ?? []).filter((x) => x.default === undefined && !keywords.has(x.name)).map((x) => x.name)
  if (unnamed.length > 0)
    return `${name}() missing ${unnamed.length} required keyword-only argument${plural(unnamed)}: ${enumerate(unnamed)}`
  return undefined
}

/** The parameters' values by name. */
export function bind(name: string, p: Parameters, args: readonly Value[], kwargs: Kwargs): Map<string, Value> {
  const problem = misfit(name, p, args.length, new Set(kwargs.keys()))
  if (problem !== undefined) throw error('TypeError', problem)
  const bound = new Map<string, Value>()
  const only = p.positionalOnly ?? 0
  p.positional.forEach((x, i) => {
    const given = i < args.length ? args[i] : i >= only ? kwargs.get(x.name) : undefined
    bound.set(x.name, given === undefined ? (x.default ?? null) : given)
  })
  for (const x of p.keywordOnly ?? []) {
    const given = kwargs.get(x.name)
    bound.set(x.name, given === undefined ? (x.default ?? null) : given)
  }
  if (p.rest !== undefined) bound.set(p.rest, new PyTuple(args.slice(p.positional.length)))
  if (p.keywords !== undefined) bound.set(p.keywords, leftover(p, kwargs))
  return bound
}

function leftover(p: Parameters, kwargs: Kwargs): PyDict {
  const named = new Set([...p.positional.slice(p.positionalOnly ?? 0), ...(p.keywordOnly ?? [])].map((x) => x.name))
  const dict = new PyDict()
  for (const [key, value] of kwargs) if (!named.has(key)) dict.entries.set(key, { key, value })
  return dict
}

function takes(p: Parameters): string {
  const most = p.positional.length
  const least = p.positional.filter((x) => x.default === undefined).length
  const range = least === most ? `${most}` : `from ${least} to ${most}`
  return `${range} positional argument${most === 1 && least === most ? '' : 's'}`
}

const plural = (names: readonly string[]): string => (names.length === 1 ? '' : 's')

function enumerate(names: readonly string[]): string {
  const quoted = names.map((n) => `'${n}'`)
  if (quoted.length < 3) return quoted.join(' and ')
  return `${quoted.slice(0, -1).join(', ')}, and ${quoted.at(-1)}`
}

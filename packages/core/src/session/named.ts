import { DeskhandError } from '../errors.ts'
import { quote } from '../selector/quote.ts'

/** Selectors that extensions bring, by the names that agents use for them: `calc.saveAs`. */
export type NamedSelectors = ReadonlyMap<string, string>

/** Arguments that hold selectors. */
const SELECTORS: ReadonlySet<string> = new Set(['target', 'selector', 'on', 'from', 'to', 'element', 'root'])

/** Quoted texts and regexes, which are left alone, and names at the beginning of a step, with what follows in it. */
const PIECE =
  /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|~=\s*\/(?:\\.|[^/\\])+\/|(^|>>|\?\?)(\s*)app:([\w-]+\.[\w.-]+)(?!\s*(=|[~^$*!]=))(\s*(?:&&|\|\|))?/g

/** Arguments with selectors in place of their names, as in `app:calc.sheet >> role=cell`. BAD_SELECTOR for a name that is not known. */
export function withNames(args: unknown, names: NamedSelectors): unknown {
  const map = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return SELECTORS.has(key) && value.includes(NAME) ? expand(value, names) : value
    if (Array.isArray(value)) return value.map((one) => map(one, key))
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, map(v, k)]))
  }
  return mentions(args) ? map(args, '') : args
}

const NAME = 'app:'

function mentions(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(NAME)
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return false
  return Object.values(value).some(mentions)
}

const expand = (selector: string, names: NamedSelectors): string =>
  selector.replaceAll(PIECE, (piece, before: string | undefined, space: string, name: string, _: unknown, more: string | undefined) => {
    if (before === undefined) return piece
    const found = names.get(name)
    if (found === undefined) throw unknown(name, names)
    if (more === undefined) return `${before}${space}${found}`
    throw new DeskhandError('BAD_SELECTOR', `${NAME}${name} stands for a whole step, so no condition can follow it`, {
      next: `Write ${NAME}${name} >> … for something inside of it.`,
    })
  })

function unknown(name: string, names: NamedSelectors): DeskhandError {
  const [extension = ''] = name.split('.')
  const own = [...names.keys()].filter((one) => one.startsWith(`${extension}.`))
  const known = own.length > 0 ? own : [...names.keys()]
  const listed = known.slice(0, MOST).map((one) => NAME + one)
  const rest = known.length > MOST ? ` and ${known.length - MOST} more` : ''
  return new DeskhandError(
    'BAD_SELECTOR',
    `${NAME}${name} is the form of a name that an extension brings, and no extension here brings it`,
    {
      next: `${known.length === 0 ? 'This desktop has no such names.' : `There are ${listed.join(', ')}${rest}.`} An application of that name is app=${quote(name)}.`,
    },
  )
}

const MOST = 20

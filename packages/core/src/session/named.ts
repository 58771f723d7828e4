/** Selectors that extensions bring, by the names that agents use for them: `calc.saveAs`. */
export type NamedSelectors = ReadonlyMap<string, string>

/** Arguments that hold selectors. */
const SELECTORS: ReadonlySet<string> = new Set(['target', 'selector', 'on', 'from', 'to', 'element', 'root'])

/** Quoted texts and regexes, which are left alone, and names at the beginning of a step. */
const PIECE = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|~=\s*\/(?:\\.|[^/\\])+\/|(^|>>|\?\?)(\s*)app:([\w.-]+)(?=\s*(?:$|>>|\?\?))/g

/** Arguments with selectors in place of their names, as in `app:calc.sheet >> role=cell`. A name that is not known stays, and is no selector. */
export function withNames(args: unknown, names: NamedSelectors): unknown {
  const map = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return SELECTORS.has(key) && value.includes('app:') ? expand(value, names) : value
    if (Array.isArray(value)) return value.map((one) => map(one, key))
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, map(v, k)]))
  }
  return map(args, '')
}

const expand = (selector: string, names: NamedSelectors): string =>
  selector.replaceAll(PIECE, (piece, before: string | undefined, space: string, name: string) => {
    const found = before === undefined ? undefined : names.get(name)
    return found === undefined ? piece : `${before}${space}${found}`
  })

export const ACCESSIBLE = 'org.a11y.atspi.Accessible'
export const ACTION = 'org.a11y.atspi.Action'
export const APPLICATION = 'org.a11y.atspi.Application'
export const CACHE = 'org.a11y.atspi.Cache'
export const COMPONENT = 'org.a11y.atspi.Component'
export const DOCUMENT = 'org.a11y.atspi.Document'
export const EDITABLE_TEXT = 'org.a11y.atspi.EditableText'
export const HYPERLINK = 'org.a11y.atspi.Hyperlink'
export const REGISTRY = 'org.a11y.atspi.Registry'
export const SELECTION = 'org.a11y.atspi.Selection'
export const TABLE = 'org.a11y.atspi.Table'
export const TEXT = 'org.a11y.atspi.Text'
export const VALUE = 'org.a11y.atspi.Value'

export const ROOT_PATH = '/org/a11y/atspi/accessible/root'
export const NULL_PATH = '/org/a11y/atspi/null'

const BITS = [ACTION, COMPONENT, EDITABLE_TEXT, SELECTION, TABLE, TEXT, VALUE, HYPERLINK] as const
type Interface = (typeof BITS)[number]

const bitOf = new Map<string, number>(BITS.map((name, i) => [name, 1 << i]))

/** The interfaces of a node that matter here, as bits. */
export function interfaceBits(names: readonly string[]): number {
  let bits = 0
  for (const name of names) bits |= bitOf.get(name) ?? 0
  return bits
}

export const offers = (bits: number | undefined, name: Interface): boolean => ((bits ?? 0) & (bitOf.get(name) ?? 0)) !== 0

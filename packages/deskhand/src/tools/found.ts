import { quote } from '@deskhand/core/selector/quote'
import type { ElementNode, Rect, Result, States } from '@deskhand/core/model'

/** An element as a query finds it. */
export interface Found {
  elementId: string
  role: string
  name?: string
  description?: string
  value?: string
  bounds?: Rect
  states?: States
}

/** What a query found; a query that was refused, or only rehearsed, found nothing. */
export const matchesOf = ({ data }: Result): Found[] => (data as { matches?: Found[] } | undefined)?.matches ?? []

export const isSeen = ({ states }: Found): boolean => states?.visible !== false

/** The part of a selector that names an entry: an ellipsis at its end and the case may be left out. */
export function nameIs(name: string): string {
  if (/[\n\r\u2028\u2029]/.test(name)) return `name=${quote(name)}`
  const words = name.replace(/(?:…|\.{3})$/, '').replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
  return String.raw`name~=/^\s*${words}\s*(?:…|\.{3})?\s*$/i`
}

/** Everything in an element, from the outside in. */
export function* inside({ children = [] }: Pick<ElementNode, 'children'>): Generator<ElementNode> {
  for (const child of children) {
    yield child
    yield* inside(child)
  }
}

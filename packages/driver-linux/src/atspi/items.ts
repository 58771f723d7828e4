import type { Body, Message } from '../dbus/index.ts'
import { interfaceBits } from './names.ts'

/** GTK 3 and Chromium give a parent, an index and a count; GTK 4, Qt and LibreOffice list the children. */
const COUNTED = '((so)(so)(so)iiassusau)'
const LISTED = '((so)(so)(so)a(so)assusau)'

/** What the cache of an application says about one of its nodes. */
export interface Item {
  path: string
  parent: string
  /** Place among its siblings; -1 when the application does not say. */
  index: number
  claimed: number
  children: string[] | undefined
  interfaces: number
  name: string
  role: number
  description: string
  low: number
  high: number
}

/** The answer of `Cache.GetItems`; undefined when it has neither of the known shapes. */
export function readItems(answer: Message): Item[] | undefined {
  const counted = answer.read(`a${COUNTED}`)
  if (counted !== undefined) return counted[0].map(fromCounted)
  return answer.read(`a${LISTED}`)?.[0].map(fromListed)
}

/** The node in an `AddAccessible` signal. */
export function readItem(signal: Message): Item | undefined {
  const counted = signal.read(COUNTED)
  if (counted !== undefined) return fromCounted(counted[0])
  const listed = signal.read(LISTED)
  return listed === undefined ? undefined : fromListed(listed[0])
}

function fromCounted([[, path], , [, parent], index, claimed, interfaces, name, role, description, states]: Body<typeof COUNTED>[0]): Item {
  return {
    path,
    parent,
    index,
    claimed,
    children: undefined,
    interfaces: interfaceBits(interfaces),
    name,
    role,
    description,
    low: states[0] ?? 0,
    high: states[1] ?? 0,
  }
}

function fromListed([[bus, path], , [, parent], children, interfaces, name, role, description, states]: Body<typeof LISTED>[0]): Item {
  const own = children.filter(([owner]) => owner === bus).map(([, child]) => child)
  return {
    path,
    parent,
    index: -1,
    claimed: own.length,
    children: own,
    interfaces: interfaceBits(interfaces),
    name,
    role,
    description,
    low: states[0] ?? 0,
    high: states[1] ?? 0,
  }
}

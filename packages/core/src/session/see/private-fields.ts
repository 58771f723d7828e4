import type { NodeKey } from '../../driver/driver.ts'
import type { AppIdentity, FlatNode, UiNode } from '../../model/index.ts'
import { isPassword } from '../../redaction/index.ts'

/**
 * Fields that count as password fields for as long as they live: those that were one at any time, as an application may show what is in
 * them, those that received an operator's secret, and those that a policy masks. An application that replaces such a field by another in its place does not free it.
 */
export class PrivateFields {
  readonly #keys = new Set<NodeKey>()
  /** The same as the application knows them: a driver that is started anew gives other keys. */
  readonly #identities = new Set<string>()
  /** Where private fields stood that are gone, by their parents. */
  readonly #places = new Map<NodeKey, Place[]>()

  readonly #isMasked: IsMasked

  constructor(isMasked: IsMasked = () => false) {
    this.#isMasked = isMasked
  }

  get isEmpty(): boolean {
    return this.#keys.size === 0
  }

  has(key: NodeKey): boolean {
    return this.#keys.has(key)
  }

  /** From now on this field is private, and so is what shows the same text as a part of it or around it. */
  keep(node: UiNode): UiNode[] {
    const fields = [node]
    for (let at = node.parent; at !== undefined && fields.length < MOST_AROUND && isField(at); at = at.parent) fields.push(at)
    for (const field of fields) this.#add(field, field.app)
    return fields
  }

  /** Whether this node, below that parent, is private; one that shows to be is remembered. */
  admit(flat: FlatNode, parent: UiNode | undefined, app: AppIdentity): boolean {
    if (this.#keys.has(flat.key)) return true
    const isKnown = this.#identities.size > 0 && this.#identities.has(identityOf(flat, app))
    if (!isKnown && !isPassword(flat) && !this.#replaces(flat) && !this.#isMasked(flat, app)) return this.#isInside(parent)
    this.#add(flat, app)
    return true
  }

  /** Keys are given anew from here on. */
  reset(): void {
    this.#keys.clear()
    this.#places.clear()
  }

  gone(node: UiNode): void {
    this.#places.delete(node.key)
    if (!this.#keys.delete(node.key)) return
    this.#identities.delete(identityOf(node, node.app))
    if (node.parent === undefined) return
    const { key } = node.parent
    const places = this.#places.get(key) ?? []
    if (places.length < MOST_PLACES) this.#places.set(key, [...places, { name: node.name, bounds: JSON.stringify(node.bounds) }])
  }

  #add(field: FlatNode | UiNode, app: AppIdentity): void {
    this.#keys.add(field.key)
    const identity = identityOf(field, app)
    if (identity !== '' && this.#identities.size < MOST_KNOWN) this.#identities.add(identity)
  }

  #replaces({ parent, role, name, bounds }: FlatNode): boolean {
    if (this.#places.size === 0 || parent === undefined || !FIELDS.has(role)) return false
    const places = this.#places.get(parent) ?? []
    return places.some((p) => (name !== undefined && p.name === name) || (bounds !== undefined && p.bounds === JSON.stringify(bounds)))
  }

  #isInside(parent: UiNode | undefined): boolean {
    if (this.isEmpty) return false
    let depth = 0
    for (let at = parent; at !== undefined && depth < DEEPEST; at = at.parent, depth++) if (this.#keys.has(at.key)) return true
    return false
  }
}

/** Whether a policy hides what an element says. */
export type IsMasked = (node: FlatNode, app: AppIdentity) => boolean

interface Place {
  name?: string
  bounds: string
}

/** Empty where the application gives no name to it. */
function identityOf({ platformIds }: Pick<FlatNode, 'platformIds'>, app: AppIdentity): string {
  const place = platformIds?.atspiPath ?? platformIds?.runtimeId ?? platformIds?.virtualId
  return place === undefined ? '' : `${app.pid ?? app.id} ${place}`
}

const MOST_KNOWN = 10_000
const MOST_AROUND = 3
const MOST_PLACES = 32
/** Browsers show the text of a field as nodes a few levels below it. */
const DEEPEST = 5
const FIELDS: ReadonlySet<string> = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton', 'text'])

export const isField = ({ role, states }: Pick<FlatNode, 'role' | 'states'>): boolean => FIELDS.has(role) || states?.editable === true

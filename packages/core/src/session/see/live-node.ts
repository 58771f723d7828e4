import type { AppIdentity, FlatNode, UiNode } from '../../model/index.ts'
import { redactNode } from '../../redaction/index.ts'
import { preorder } from '../../selector/index.ts'

/** A node of the replica; only LiveTree changes it. Every node has the same fields in the same order: one shape keeps matching fast. */
export class LiveNode implements UiNode {
  readonly key: string
  index = 0
  driver?: string
  role = ''
  name?: string
  value?: string
  description?: string
  bounds?: UiNode['bounds']
  states?: UiNode['states']
  platformIds?: UiNode['platformIds']
  patterns?: UiNode['patterns']
  actions?: UiNode['actions']
  shortcuts?: UiNode['shortcuts']
  attributes?: UiNode['attributes']
  app: AppIdentity
  parent?: LiveNode = undefined
  children: LiveNode[] = []
  // Private, so that a copy of the fields that agents see does not carry them.
  #order = 0
  #room = 0

  constructor(flat: FlatNode, app: AppIdentity) {
    this.key = flat.key
    this.app = app
    this.take(flat, app)
  }

  /** Takes over everything that a driver reports, without what must not be kept. */
  take(flat: FlatNode, app: AppIdentity): void {
    const { index, driver, role, name, value, description, bounds, states, platformIds, patterns, actions, shortcuts, attributes } =
      redactNode(flat)
    this.index = index
    this.driver = driver
    this.role = role
    this.name = name
    this.value = value
    this.description = description
    this.bounds = bounds
    this.states = states
    this.platformIds = platformIds
    this.patterns = patterns
    this.actions = actions
    this.shortcuts = shortcuts
    this.attributes = attributes
    this.app = app
  }

  /** Makes it a password field, without what it held. */
  hide(): void {
    this.states = { ...this.states, password: true }
    const { value, name, description } = redactNode<UiNode>(this)
    this.value = value
    this.name = name
    this.description = description
    this.attributes = undefined
  }

  /** Grows in document order. */
  get order(): number {
    return this.#order
  }

  /** A new node right behind this one may have an order between this one's and its room. */
  get room(): number {
    return this.#room
  }

  /** Sets the order and the room. */
  number(order: number, room: number): void {
    this.#order = order
    this.#room = room
  }
}

/** Whether states differ by nothing but where the keyboard is. */
export function sameButFocus(a: UiNode['states'] = {}, b: UiNode['states'] = {}): boolean {
  if (a === b) return true
  const differ = (one: typeof a, other: typeof a): boolean =>
    Object.entries(one).some(([state, is]) => state !== 'focused' && state !== 'active' && other[state as keyof typeof a] !== is)
  return !differ(a, b) && !differ(b, a)
}

/** Whether a node lies above another one, or is it. */
export function isAbove(node: LiveNode, below: LiveNode | undefined): boolean {
  for (let n = below; n !== undefined; n = n.parent) if (n === node) return true
  return false
}

/** The node and everything below it, parents first. */
export function subtree(node: LiveNode | undefined): LiveNode[] {
  const all: LiveNode[] = []
  if (node !== undefined) preorder([node], (n) => all.push(n))
  return all
}

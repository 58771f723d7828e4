import type { Change, Changes, TreePart } from '@deskhand/core/driver'
import { type AppIdentity, type Completeness, type FlatNode, ROLES, type RiskLevel } from '@deskhand/core/model'
import { nonsense } from './mcp-client.ts'
import { Rate } from './rate.ts'

const MOST_NODES = 20_000
const MOST_APPS = 100
const DEEPEST = 100
const LONGEST_KEY = 200
/** Characters of one node and of a tree, all its texts, attributes and actions together. */
const LONGEST_NODE = 100_000
const LONGEST_TREE = 16 * 2 ** 20
const LONGEST_WORDS = 300
const FARTHEST = 100_000
/** In a second. What has to be read again costs more than what is told. */
const MOST_CHANGES = 10_000
const DIRTY_COST = 100
/** In ten seconds: each makes every reader of the desktop start over. */
const MOST_RESETS = 10
/** Answers in a row that say that there is more. */
const MOST_MORE = 100

/** Only the desktop's own driver says which address, place on the screen or reading of pixels this is. */
const RESERVED: ReadonlySet<string> = new Set([
  'confidence',
  'DocURL',
  'maximized',
  'minimized',
  'read',
  'source',
  'treeless',
  'unread',
  'url',
  'z',
])

/**
 * What a driver that is not trusted may tell of its tree. Sizes, rates, shapes and keys are checked, and a violation throws PROTOCOL. Places on
 * the screen, the focus, and which process something belongs to are the word of the desktop's own driver: they are taken away.
 */
export class OwnTree {
  readonly #added: { driver: string; risk: RiskLevel }
  /** How deep each node lies, in what, and how much it tells. */
  #known = new Map<string, { parent: string | undefined; depth: number; size: number }>()
  #size = 0
  #more = 0
  #apps = new Set<string>()
  readonly #changes = new Rate(1000, MOST_CHANGES, 'changes in a second')
  readonly #resets = new Rate(10_000, MOST_RESETS, 'resets in ten seconds')

  constructor(driver: string, risk: RiskLevel) {
    this.#added = { driver, risk }
  }

  read(answer: TreePart, root: string | undefined): TreePart {
    if (root === undefined) {
      this.#known = new Map()
      this.#size = 0
      this.#apps = new Set()
    }
    const apps = answer.apps.map((app) => this.#app(app))
    const seen = new Set<string>()
    const nodes = answer.nodes.map((node, i) => {
      if (seen.has(node.key)) throw nonsense(`The key ${shown(node.key)} is there twice.`)
      seen.add(node.key)
      const isRoot = i === 0 && node.key === root
      if (node.parent !== undefined && !isRoot && !seen.has(node.parent))
        throw nonsense(`The parent of ${shown(node.key)} does not stand before it.`)
      return this.#place(node)
    })
    return { cursor: cursor(answer.cursor), nodes, apps, completeness: completenessOf(answer.completeness) }
  }

  changes(answer: Changes): Changes {
    if ('reset' in answer) return this.#reset()
    this.#more = answer.more === true ? this.#more + 1 : 0
    if (this.#more > MOST_MORE) throw nonsense('The driver has more to tell without end.')
    const told: Change[] = []
    for (const change of answer.changes) {
      this.#changes.mustCount(change.type === 'dirty' ? DIRTY_COST : 1)
      const known = change.type === 'put' ? this.#known.get(change.node.key) : undefined
      // What moves elsewhere may take a whole branch along; a fresh read tells how deep that is.
      if (change.type === 'put' && known !== undefined && known.parent !== change.node.parent) return this.#reset()
      const own = this.#change(change)
      if (own !== undefined) told.push(own)
      if (this.#known.size > MOST_NODES || this.#size > LONGEST_TREE) return this.#reset()
    }
    return { cursor: cursor(answer.cursor), changes: told, more: answer.more }
  }

  check(keys: readonly string[], nodes: readonly (FlatNode | null)[]): (FlatNode | null)[] {
    if (nodes.length !== keys.length) throw nonsense(`${keys.length} nodes were asked for, and ${nodes.length} answered.`)
    return nodes.map((node, i) => {
      if (node !== null && node.key !== keys[i])
        throw nonsense(`${shown(node.key)} was answered where ${shown(keys[i] ?? '')} was asked for.`)
      return node === null ? null : this.node(node)
    })
  }

  /** A node as the session may see it. */
  node(node: FlatNode): FlatNode {
    const { key, parent, index, app, role, name, value, description, bounds, states, patterns, actions, shortcuts } = node
    if (key === '' || [key, parent ?? '', app].some((id) => id.length > LONGEST_KEY)) throw nonsense('A key is empty or too long.')
    if (!this.#apps.has(app)) throw nonsense(`${shown(key)} belongs to an application that was not told of.`)
    if (!Number.isInteger(index) || index < 0) throw nonsense(`The place of ${shown(key)} among its siblings is no number.`)
    if (!KNOWN_ROLES.has(role)) throw nonsense(`${shown(role)} is no role.`)
    const isPlaced =
      bounds === undefined ||
      (Math.max(Math.abs(bounds.x), Math.abs(bounds.y), bounds.w, bounds.h) <= FARTHEST && Math.min(bounds.w, bounds.h) >= 0)
    if (!isPlaced) throw nonsense(`The bounds of ${shown(key)} are on no screen.`)
    if (sizeOf(node) > LONGEST_NODE) throw nonsense(`${shown(key)} has more than ${LONGEST_NODE} characters.`)
    const { focused: _focused, active: _active, ...rest } = states ?? {}
    const { windowHandle: _handle, ...platformIds } = node.platformIds ?? {}
    const attributes = Object.fromEntries(Object.entries(node.attributes ?? {}).filter(([n]) => !RESERVED.has(n)))
    return {
      ...{ key, parent, index, app, role, name, value, description, patterns, actions, shortcuts, platformIds, attributes },
      states: rest,
      driver: this.#added.driver,
    }
  }

  #change(change: Change): Change | undefined {
    switch (change.type) {
      case 'put':
        if (change.node.parent !== undefined && !this.#known.has(change.node.parent))
          throw nonsense(`${shown(change.node.key)} lies in something that was not told of.`)
        return { type: 'put', node: this.#place(change.node) }
      case 'gone':
        this.#size -= this.#known.get(change.key)?.size ?? 0
        this.#known.delete(change.key)
        return change
      case 'app':
        return { type: 'app', app: this.#app(change.app) }
      case 'dirty':
      case 'can':
        return change
      case 'completeness':
        return { type: 'completeness', completeness: completenessOf(change.completeness) }
      case 'focus':
      case 'screens':
        return undefined
      case 'host':
        throw nonsense('An added driver asked for code to be run.')
      default:
        return change satisfies never
    }
  }

  #place(told: FlatNode): FlatNode {
    const node = this.node(told)
    const { key, parent } = node
    const depth = parent === undefined ? 0 : (this.#known.get(parent)?.depth ?? 0) + 1
    if (depth > DEEPEST) throw nonsense(`The tree is more than ${DEEPEST} levels deep.`)
    const size = sizeOf(node)
    this.#size += size - (this.#known.get(key)?.size ?? 0)
    if (this.#size > 2 * LONGEST_TREE) throw nonsense(`The tree has more than ${LONGEST_TREE} characters.`)
    this.#known.set(key, { parent, depth, size })
    if (this.#known.size > 2 * MOST_NODES) throw nonsense(`The tree has more than ${MOST_NODES} nodes.`)
    return node
  }

  #app({ id, name }: AppIdentity): AppIdentity {
    if (id === '' || id.length > LONGEST_KEY) throw nonsense('The id of an application is empty or too long.')
    if (this.#apps.add(id).size > MOST_APPS) throw nonsense(`There are more than ${MOST_APPS} applications.`)
    return { id, name: name.slice(0, LONGEST_WORDS), added: this.#added }
  }

  #reset(): Changes {
    this.#resets.mustCount(1)
    return { reset: true }
  }
}

/** Everything that a driver puts into a node as it likes. */
function sizeOf({ name = '', value = '', description = '', attributes, patterns, actions, shortcuts, platformIds }: FlatNode): number {
  return name.length + value.length + description.length + JSON.stringify([attributes, patterns, actions, shortcuts, platformIds]).length
}

const KNOWN_ROLES: ReadonlySet<string> = new Set(ROLES)

function cursor(told: string): string {
  if (told.length > LONGEST_KEY) throw nonsense('A cursor is too long.')
  return told
}

function completenessOf({ complete, reasons }: Completeness): Completeness {
  return { complete, reasons: reasons.slice(0, 20).map(({ kind, app, detail }) => ({ kind, app, detail: detail.slice(0, LONGEST_WORDS) })) }
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 60))

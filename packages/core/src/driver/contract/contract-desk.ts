import { center, type FlatNode, type Point, WINDOWS } from '../../model/index.ts'
import { type CapName, type Cursor, type Driver, type DriverInfo, type Guard, type Lease, type Sent, type Step, within } from '../driver.ts'
import type { Fixture } from './fixture.ts'

/** Parts of the window that have one role and one name. */
export type Part = 'button' | 'counter' | 'checkbox' | 'field' | 'area' | 'disabled' | 'menu' | 'item' | 'password'

const ROLES: Record<Part, readonly string[]> = {
  button: ['button'],
  counter: ['label'],
  checkbox: ['checkbox'],
  field: ['textbox'],
  area: ['textbox'],
  disabled: ['button'],
  menu: ['menu', 'menuitem'],
  item: ['menuitem'],
  password: ['textbox'],
}
const CHOICES: readonly string[] = ['list', 'listbox', 'combobox', 'table', 'tree']

/** How long anything may take, on a machine that has much else to do. */
export const PATIENCE_MS = 20_000
export const ctx = within(PATIENCE_MS)

/** The driver under test as its cases use it: it finds the parts, operates them in the way that the driver offers, and waits for effects. */
export class ContractDesk {
  readonly driver: Driver
  readonly fixture: Fixture
  readonly info: DriverInfo

  constructor(driver: Driver, fixture: Fixture, info: DriverInfo) {
    this.driver = driver
    this.fixture = fixture
    this.info = info
  }

  can(cap: CapName): boolean {
    return this.info.can[cap].ok
  }

  async nodes(): Promise<FlatNode[]> {
    return (await this.driver.observe.read({}, ctx)).nodes
  }

  async cursor(): Promise<Cursor> {
    return (await this.driver.observe.read({ maxNodes: 1 }, ctx)).cursor
  }

  /** The window, or the dialog when asked for it, among these nodes. */
  window(nodes: FlatNode[], title = this.fixture.window): FlatNode | undefined {
    return nodes.find((n) => WINDOWS.has(n.role) && n.name === title)
  }

  find(nodes: FlatNode[], part: Part): FlatNode | undefined {
    const window = this.window(nodes)
    if (!window) return undefined
    const fits = (name: string | undefined): boolean =>
      part === 'counter' ? name?.startsWith(this.fixture.counter) === true : name === this.fixture[part]
    return below(nodes, window).find((n) => ROLES[part].includes(n.role) && fits(n.name))
  }

  /** The list or drop-down list, and its three options. */
  choices(nodes: FlatNode[]): { list: FlatNode; options: FlatNode[] } | undefined {
    for (const list of nodes.filter((n) => CHOICES.includes(n.role))) {
      const inside = below(nodes, list)
      const options = this.fixture.options.map((name) => inside.find((n) => n.name === name))
      if (options.every((o) => o !== undefined)) return { list, options }
    }
    return undefined
  }

  /** The part as the application has it now; waits until it is there and as wanted. */
  async part(part: Part, wanted: (node: FlatNode) => boolean = () => true): Promise<FlatNode> {
    return this.until(`the ${part} to be as wanted`, async (nodes) => {
      const found = this.find(nodes, part)
      const [fresh] = found ? await this.driver.observe.check([found.key], ctx) : []
      return fresh && wanted(fresh) ? fresh : undefined
    })
  }

  async count(): Promise<number> {
    const { name } = await this.part('counter')
    return Number(name?.slice(this.fixture.counter.length))
  }

  /** Reads again after every change until `look` finds something. */
  async until<T>(what: string, look: (nodes: FlatNode[]) => Promise<T | undefined> | T | undefined): Promise<T> {
    const end = performance.now() + PATIENCE_MS
    let last: FlatNode[] = []
    while (performance.now() < end) {
      const { nodes, cursor } = await this.driver.observe.read({}, ctx)
      const found = await look((last = nodes))
      if (found !== undefined) return found
      await this.driver.observe.changes(cursor, 100, ctx)
    }
    throw new Error(`waited in vain for ${what}; there is:\n${last.map(line).join('\n')}`)
  }

  /** Runs with a lease and drops it, also after a failure. */
  async leased<T>(run: (lease: Lease) => Promise<T>): Promise<T> {
    const lease = await this.driver.act.take(60_000, ctx)
    try {
      return await run(lease)
    } finally {
      await this.driver.act.drop(lease)
    }
  }

  step(lease: Lease, step: Step, guard: Guard = {}): Promise<Sent> {
    return this.driver.act.step(lease, step, guard, ctx)
  }

  click(lease: Lease, at: Point, guard: Guard = {}): Promise<Sent> {
    const events: Extract<Step, { do: 'pointer' }>['events'] = [
      { type: 'move', ...at },
      { type: 'down', button: 'left' },
      { type: 'up', button: 'left' },
    ]
    return this.step(lease, { do: 'pointer', events }, guard)
  }

  /** Presses a node, by pointer where there is one. */
  async operate(lease: Lease, node: FlatNode): Promise<void> {
    if (this.can('step:pointer')) await this.click(lease, middle(node))
    else await this.step(lease, { do: 'press', key: node.key })
  }

  async focus(lease: Lease, part: Part): Promise<FlatNode> {
    const node = await this.part(part)
    if (this.can('step:pointer')) await this.click(lease, middle(node))
    else await this.step(lease, { do: 'focus', key: node.key })
    return this.part(part, (n) => n.states?.focused === true)
  }

  /** Focuses a text part and empties it. */
  async empty(lease: Lease, part: Part): Promise<FlatNode> {
    const node = await this.focus(lease, part)
    if (this.can('step:keys')) {
      await this.chord(lease, 'Control', 'a')
      await this.chord(lease, 'Delete')
    } else await this.step(lease, { do: 'setText', key: node.key, text: '', mode: 'replace' })
    return part === 'password' ? node : this.part(part, (n) => (n.value ?? '') === '')
  }

  chord(lease: Lease, ...keys: string[]): Promise<Sent> {
    const down = keys.map((key) => ({ type: 'down' as const, key }))
    const up = keys.toReversed().map((key) => ({ type: 'up' as const, key }))
    return this.step(lease, { do: 'keys', events: [...down, ...up] })
  }
}

export function middle(node: FlatNode): Point {
  if (!node.bounds) throw new Error(`${line(node)} has no bounds`)
  return center(node.bounds)
}

/** Everything inside a node. */
export function below(nodes: FlatNode[], root: FlatNode): FlatNode[] {
  const inside = new Set([root.key])
  return nodes.filter((n) => n.parent !== undefined && inside.has(n.parent) && inside.add(n.key))
}

const line = (n: FlatNode): string =>
  `${n.key} ${n.role} "${n.name ?? ''}" ${n.value ?? ''} ${JSON.stringify(n.bounds)} ${JSON.stringify(n.states)}`

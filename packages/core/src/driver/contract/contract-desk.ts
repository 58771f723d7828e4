import { center, type FlatNode, type Point, WINDOWS } from '../../model/index.ts'
import {
  type CapName,
  type Ctx,
  type Cursor,
  type Driver,
  type DriverInfo,
  type Guard,
  type Lease,
  type Sent,
  type Step,
  within,
} from '../driver.ts'
import type { Fixture, Lacking, Opened, Part } from './fixture.ts'

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
const PATIENCE_MS = 20_000

/** The driver shows no window of the fixture, or the window has no such part, so that a case which needs it says nothing. */
export class NotShown extends Error {}

/** The driver under test as its cases use it: it finds the parts, operates them in the way that the driver offers, and waits for effects. */
export class ContractDesk {
  readonly driver: Driver
  readonly fixture: Fixture
  readonly info: DriverInfo
  readonly unread: Opened['unread']
  readonly untyped: Opened['untyped']
  readonly refuses: NonNullable<Opened['refuses']>
  /** What a case could not show, with the answer that was seen. */
  readonly gaps: string[] = []
  readonly patienceMs: number
  readonly ctx: Ctx
  /** Whether a window of the fixture must be there; without it a case that needs one is not tried. */
  readonly mustShow: boolean

  constructor(
    opened: Pick<Opened, 'driver' | 'fixture' | 'unread' | 'untyped' | 'refuses'>,
    info: DriverInfo,
    options: { patienceMs?: number; mustShow?: boolean } = {},
  ) {
    const { patienceMs = PATIENCE_MS, mustShow = true } = options
    this.driver = opened.driver
    this.fixture = opened.fixture
    this.unread = opened.unread
    this.untyped = opened.untyped
    this.refuses = opened.refuses ?? {}
    this.info = info
    this.patienceMs = patienceMs
    this.ctx = within(patienceMs)
    this.mustShow = mustShow
  }

  /** Whether menus can be read; a case that would need them names the gap by this. */
  hasMenus(): boolean {
    if (this.unread !== undefined) this.gaps.push(this.unread.menu)
    return this.unread === undefined
  }

  can(cap: CapName): boolean {
    return this.info.can[cap].ok
  }

  has(what: Lacking): boolean {
    return this.fixture.lacks?.includes(what) !== true
  }

  #mustHave(what: Lacking): void {
    if (!this.has(what)) throw new NotShown(`"${this.fixture.window}" has no ${what}`)
  }

  async nodes(): Promise<FlatNode[]> {
    return (await this.driver.observe.read({}, this.ctx)).nodes
  }

  async cursor(): Promise<Cursor> {
    return (await this.driver.observe.read({ maxNodes: 1 }, this.ctx)).cursor
  }

  /** The window, or the dialog when asked for it, among these nodes. */
  window(nodes: FlatNode[], title = this.fixture.window): FlatNode | undefined {
    if (!this.mustShow) throw new NotShown(`there is no window "${this.fixture.window}"`)
    return nodes.find((n) => WINDOWS.has(n.role) && n.name === title)
  }

  find(nodes: FlatNode[], part: Part): FlatNode | undefined {
    this.#mustHave(part)
    const window = this.window(nodes)
    if (!window) return undefined
    const fits = (name: string | undefined): boolean =>
      part === 'counter' ? name?.startsWith(this.fixture.counter) === true : (name ?? '') === this.fixture[part]
    return below(nodes, window).find((n) => ROLES[part].includes(n.role) && fits(n.name))
  }

  /** The list or drop-down list, and its three options. */
  choices(nodes: FlatNode[]): { list: FlatNode; options: FlatNode[] } | undefined {
    if (!this.mustShow) throw new NotShown('there is no list')
    this.#mustHave('options')
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
      const [fresh] = found ? await this.driver.observe.check([found.key], this.ctx) : []
      return fresh && wanted(fresh) ? fresh : undefined
    })
  }

  async count(): Promise<number> {
    const { name } = await this.part('counter')
    return Number(name?.slice(this.fixture.counter.length))
  }

  /** Reads again after every change until `look` finds something. */
  async until<T>(what: string, look: (nodes: FlatNode[]) => Promise<T | undefined> | T | undefined): Promise<T> {
    const end = performance.now() + this.patienceMs
    let last: FlatNode[] = []
    while (performance.now() < end) {
      const { nodes, cursor } = await this.driver.observe.read({}, this.ctx)
      const found = await look((last = nodes))
      if (found !== undefined) return found
      await this.driver.observe.changes(cursor, 100, this.ctx)
    }
    throw new Error(`waited in vain for ${what}; there is:\n${last.map(line).join('\n')}`)
  }

  /** Runs with a lease and drops it, also after a failure. */
  async leased<T>(run: (lease: Lease) => Promise<T>): Promise<T> {
    const lease = await this.driver.act.take(60_000, this.ctx)
    try {
      return await run(lease)
    } finally {
      await this.driver.act.drop(lease)
    }
  }

  step(lease: Lease, step: Step, guard: Guard = {}): Promise<Sent> {
    return this.driver.act.step(lease, step, guard, this.ctx)
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
    // Where a place is not known, as of GTK 4's menus on Wayland, only the element's own action is left.
    if (this.can('step:pointer') && node.bounds !== undefined) await this.click(lease, middle(node))
    else await this.step(lease, { do: 'press', key: node.key })
  }

  async focus(lease: Lease, part: Part): Promise<FlatNode> {
    const node = await this.part(part)
    if (this.can('step:pointer')) await this.click(lease, middle(node))
    else await this.step(lease, { do: 'focus', key: node.key })
    return this.part(part, (n) => n.states?.focused === true)
  }

  /** Opens the dialog, by its menu where menus can be read. */
  async openDialog(lease: Lease): Promise<void> {
    this.#mustHave('dialog')
    if (this.hasMenus()) {
      await this.operate(lease, await this.part('menu'))
      return this.operate(
        lease,
        await this.part('item', (n) => n.states?.visible !== false && (n.bounds !== undefined || this.can('step:press'))),
      )
    }
    const { opener } = this.fixture
    const button = await this.until('the button that opens the dialog', (nodes) =>
      nodes.find((n) => n.role === 'button' && n.name === opener),
    )
    await this.operate(lease, button)
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

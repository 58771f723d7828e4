import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { DeskhandError } from '@deskhand/core/errors'
import type { AppIdentity } from '@deskhand/core/model'
import { type Body, Bus, BusError, type Message } from '../dbus/index.ts'
import { ActionConnections } from './action-connections.ts'
import { Appeared } from './appeared.ts'
import { isOwnAddress } from './socket-owner.ts'
import { Slots } from './slots.ts'
import { StaleAreas } from './stale-areas.ts'
import { ACCESSIBLE, APPLICATION } from './names.ts'
import { Strangers } from './strangers.ts'
import { MirrorNode, isOpenWindow } from './node.ts'
import { type Toolkit, toolkitOf } from './toolkit.ts'
import { Turns } from './turns.ts'

/** How long an application may take for one answer before it counts as hung. */
const ANSWER_MS = 1000
/** … and while it is read as a whole, which it may be too busy for. */
const READ_MS = 3000
/** A handler that has not returned by then may be waiting for a dialog of its own. */
const ACTION_MS = 700
const RETRIES = 10
/** Of an application with more nodes only what is shown is read in full at once. */
const LARGE = 3000
const MAX_NAME = 200
const REVIVAL_MS = 24 * 3600 * 1000

/** Every node by its key, over all applications. A key is never given again, not by a driver that is started anew either. */
export class NodeIndex {
  readonly byKey = new Map<string, MirrorNode>()
  readonly #life = randomBytes(4).toString('hex')
  #count = 0

  create(app: App, path: string): MirrorNode {
    const node = new MirrorNode(`n${this.#life}-${(++this.#count).toString(36)}`, app, path)
    this.byKey.set(node.key, node)
    return node
  }
}

/** What an application may answer at most to what is long by nature; to everything else, a megabyte. */
const MOST_BYTES: Readonly<Record<string, number>> = { GetItems: 1 << 25, GetText: 1 << 24, GetChildren: 1 << 22 }

/** One application on the accessibility bus, and the nodes known of it. */
export class App {
  /** Its unique name on the bus. */
  readonly name: string
  /** The path of its application node, which is above its windows. */
  readonly root: string
  identity: AppIdentity
  toolkit: Toolkit
  readonly nodes = new Map<string, MirrorNode>()
  /** What it told last to have got the focus. */
  focus: MirrorNode | undefined
  /** How many pixels of the screen one of its own is, as on a screen of 192 dpi. */
  scale = 1
  /** Its places count from its window, whatever the toolkit: it runs on Wayland. */
  isLocal = false
  /** Does not answer; nothing is asked of it until it does. */
  hung = false
  /** What may be different without its having said so. */
  readonly stale = new StaleAreas()
  /** The application as a whole, the children of one node, or what it told of, being read. */
  readonly turns = new Turns<App | MirrorNode | Appeared | Strangers>()
  /** Children that it told of and that are to be read. */
  readonly appeared = new Appeared()
  /** So many nodes are asked at a time what they are. */
  readonly slots = new Slots(64)
  /** Paths that its cache lists and that no node has as a child. */
  readonly strays = new Set<string>()
  /** Paths that said that they show before any node had them as a child: perhaps a menu that stays without a parent. */
  readonly popups = new Set<string>()
  /** Objects that spoke and that no node stands for. */
  readonly strangers = new Strangers()
  /** It has left the bus. */
  isClosed = false
  /** How many characters of its names and texts are kept. */
  words = 0
  /** Why the nodes known of it are not all. */
  truncated: string | undefined
  /** It has been read as a whole. */
  isRead = false
  /** It is being read as a whole. */
  isReading = false
  /** It has been asked for all of its nodes at once, over which a large application takes its time. */
  isListing = false
  /** When reading it as a whole ends, whatever is left. */
  readUntil = Infinity
  /** It ended so, with something left, which a busy machine left no time for: it is read next, as long as there is more of it. */
  isCutShort = false
  /** It has many nodes that were left unread, as asking for everything at once gives them sooner. */
  isPartial = false
  /** It has been asked for everything at once, and what that left out is asked one by one. */
  isListed = false
  /** Nodes that have said what they are and that readers are to be told of. */
  found: MirrorNode[] = []
  /** How often readers were told something of it. */
  tellings = 0
  /** Of how many elements out of view the values are still to be read. */
  unread = 0
  onHung: () => void = () => {}
  /** A node is forgotten that readers know of. */
  onGone: (node: MirrorNode) => void = () => {}
  onRevived: () => void = () => {}
  readonly #bus: Bus
  readonly #index: NodeIndex
  #direct: Bus | undefined
  #actions: ActionConnections | undefined
  #failures = 0

  constructor(bus: Bus, index: NodeIndex, name: string, root: string, identity: AppIdentity) {
    this.#bus = bus
    this.#index = index
    this.name = name
    this.root = root
    this.identity = identity
    this.toolkit = toolkitOf(identity.toolkit, identity.executable)
  }

  get #patience(): number {
    return this.isReading ? READ_MS : ANSWER_MS
  }

  /** It has more nodes than can be asked one by one in a moment. */
  get isLarge(): boolean {
    return this.nodes.size > LARGE
  }

  get rootNode(): MirrorNode | undefined {
    return this.nodes.get(this.root)
  }

  get windows(): readonly MirrorNode[] {
    return this.rootNode?.children ?? []
  }

  /** Those that a person could see, or get back from the task bar. */
  get openWindows(): readonly MirrorNode[] {
    return this.windows.filter(isOpenWindow)
  }

  /** From now on talks to the application past the daemon, where it offers that. */
  async shortcut(address: string): Promise<void> {
    const { pid } = this.identity
    if (this.#direct !== undefined || pid === undefined || !isOwnAddress(address, pid)) return
    this.#actions ??= new ActionConnections(address)
    const direct = await Bus.connect(address, { peerToPeer: true, deadlineMs: 200 }).catch(() => undefined)
    this.#direct = direct
    void direct?.closed.then(() => {
      if (this.#direct === direct) this.#direct = undefined
    })
  }

  async call<S extends string, R extends string>(
    path: string,
    iface: string,
    member: string,
    signature: S,
    args: Readonly<Body<S>>,
    reply: R,
    deadlineMs = this.#patience,
  ): Promise<Body<R>> {
    const body = (await this.ask(path, iface, member, signature, args, deadlineMs)).read(reply)
    if (body === undefined) throw new BusError('shape', `${iface}.${member} of ${this.identity.name} did not answer "${reply}"`)
    return body
  }

  async ask<S extends string>(
    path: string,
    iface: string,
    member: string,
    signature: S,
    args: Readonly<Body<S>>,
    deadlineMs = this.#patience,
  ): Promise<Message> {
    if (this.hung) throw new BusError('timeout', `${this.identity.name} does not answer`)
    const direct = this.#direct?.isOpen === true ? this.#direct : undefined
    try {
      return await (direct ?? this.#bus).ask(direct === undefined ? this.name : '', path, iface, member, signature, args, {
        deadlineMs,
        mostBytes: MOST_BYTES[member],
      })
    } catch (error) {
      if (error instanceof BusError && error.reply === 'large') this.truncated = `an answer of it to ${member} was too large to be read`
      if (error instanceof BusError && error.reply === 'timeout' && !this.isListing) this.#hang()
      throw error
    }
  }

  /**
   * Asks for something that runs a handler of the application's. Undefined where the handler has not returned in time, as one does that
   * shows a dialog and waits for it: what was asked for is under way then, and only its effect can tell.
   */
  async act<S extends string, R extends string>(
    path: string,
    iface: string,
    member: string,
    signature: S,
    args: Readonly<Body<S>>,
    reply: R,
  ): Promise<Body<R> | undefined> {
    if (this.hung) throw new BusError('timeout', `${this.identity.name} does not answer`)
    const own = await this.#actions?.take()
    const [bus, name] = own === undefined ? [this.#bus, this.name] : [own, '']
    const answer = bus.ask(name, path, iface, member, signature, args, { deadlineMs: REVIVAL_MS })
    if (own !== undefined)
      this.#actions?.giveBack(own, () => own.ask('', this.root, ACCESSIBLE, 'GetRole', '', [], { deadlineMs: REVIVAL_MS }))
    const message = await within(answer, ACTION_MS)
    if (message === undefined) return undefined
    const body = message.read(reply)
    if (body === undefined) throw new BusError('shape', `${iface}.${member} of ${this.identity.name} did not answer "${reply}"`)
    return body
  }

  /** One property, of the type `type`; `GetAll` would be fewer calls, but it crashes Qt 5. */
  async get<T extends string>(path: string, iface: string, name: string, type: T): Promise<Body<T>[0]> {
    const [variant] = await this.call(path, 'org.freedesktop.DBus.Properties', 'Get', 'ss', [iface, name], 'v')
    if (variant.type !== type) throw new BusError('shape', `${iface}.${name} is no ${type}`)
    return variant.value as Body<T>[0]
  }

  /** True when the application answers in time. GDBus answers a Ping even for a hung program, so something real is asked. */
  async answers(deadlineMs: number): Promise<boolean> {
    return this.call(this.root, ACCESSIBLE, 'GetRole', '', [], 'u', deadlineMs).then(
      () => true,
      (error: unknown) => error instanceof BusError && error.reply.startsWith('org.'),
    )
  }

  ensure(path: string): MirrorNode {
    let node = this.nodes.get(path)
    if (node === undefined) this.nodes.set(path, (node = this.#index.create(this, path)))
    return node
  }

  /** GTK 4 tells of children before they can be asked, so a node that did not answer is asked again; but not for ever. */
  retry(failed: boolean): void {
    if (!failed) this.#failures = 0
    else if (this.#failures++ < RETRIES) this.stale.addAll()
  }

  /** Asks again for what it did not say of itself when it was new; true when it did now. */
  async introduce(): Promise<boolean> {
    if (this.identity.toolkit !== undefined) return false
    const [name, toolkit] = await Promise.all([
      this.get(this.root, ACCESSIBLE, 'Name', 's'),
      this.get(this.root, APPLICATION, 'ToolkitName', 's'),
    ])
    this.identity = { ...this.identity, name: name === '' ? this.identity.name : name.slice(0, MAX_NAME), toolkit }
    this.toolkit = toolkitOf(toolkit, this.identity.executable)
    return true
  }

  /** Another object stands for a node from now on. */
  rebind(node: MirrorNode, path: string): void {
    if (node.path === path) return
    const other = this.nodes.get(path)
    if (other !== undefined) this.drop(other)
    this.nodes.delete(node.path)
    node.path = path
    this.nodes.set(path, node)
  }

  /** Forgets a node and everything below it. */
  drop(node: MirrorNode): void {
    if (!this.#index.byKey.delete(node.key)) return
    this.words -= node.words
    if (node.told !== undefined) this.onGone(node)
    if (this.nodes.get(node.path) === node) this.nodes.delete(node.path)
    // The focus stays in what is around it: a row that is read anew is another object.
    if (this.focus === node) this.focus = this.#kept(node.parent)
    for (const child of node.children) if (child.parent === node) this.drop(child)
  }

  #kept(node: MirrorNode | undefined): MirrorNode | undefined {
    return node === undefined || this.#index.byKey.has(node.key) ? node : this.#kept(node.parent)
  }

  close(): void {
    this.isClosed = true
    this.#direct?.close()
    this.#actions?.close()
    for (const node of this.nodes.values()) this.#index.byKey.delete(node.key)
    this.nodes.clear()
  }

  #hang(): void {
    if (this.hung) return
    this.hung = true
    this.onHung()
    const back = (): void => {
      this.hung = false
      this.onRevived()
    }
    this.#bus.ask(this.name, this.root, ACCESSIBLE, 'GetRole', '', [], { deadlineMs: REVIVAL_MS }).then(back, (error: unknown) => {
      // An answer that says no is an answer.
      if (error instanceof BusError && error.reply.startsWith('org.') && !error.reply.endsWith('NoReply')) back()
    })
  }
}

/** What a promise gives within a time; undefined when it takes longer, and then its end is of no interest. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((done) => (timer = setTimeout(() => done(undefined), ms)))
  promise.catch(() => {})
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

const HUNG_NEXT =
  'Its windows can still be activated, moved and closed (ui.window), and other applications operated. Look again later, or end it: desktop.close with force.'

/** How an application that does not answer is told: one that computes may come back, one that waits may have a question open. */
export function silenceOf({ identity: { pid } }: App): string {
  const state = pid === undefined ? undefined : stateOf(pid)
  if (state === 'T' || state === 't') return 'does not answer: its process is stopped'
  if (state === 'R') return 'does not answer: it is busy computing'
  return 'does not answer'
}

/** What went wrong between us and an application, in our own codes. */
export function appError(thrown: unknown, app: App): unknown {
  if (!(thrown instanceof BusError)) return thrown
  const who = app.identity.name
  if (thrown.reply === 'timeout')
    return new DeskhandError('APP_HUNG', `${who} ${silenceOf(app)}`, {
      next: HUNG_NEXT,
      details: { app: who, pid: app.identity.pid },
      cause: thrown,
    })
  if (thrown.reply.endsWith('UnknownMethod') || thrown.reply.endsWith('UnknownInterface'))
    return new DeskhandError('NOT_CAPABLE', `${who} does not offer this`, { cause: thrown })
  if (thrown.reply.endsWith('UnknownObject')) return new DeskhandError('STALE_REF', `the element of ${who} is gone`, { cause: thrown })
  if (thrown.reply === 'closed' || thrown.reply.endsWith('ServiceUnknown') || thrown.reply.endsWith('NoReply'))
    return new DeskhandError('STALE_REF', `${who} has ended`, { cause: thrown })
  return new DeskhandError('DRIVER_FAILED', `${who} answered: ${thrown.message}`, { cause: thrown })
}

/** The state of a process as the kernel has it: R runs, S sleeps, T is stopped. */
function stateOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2)[0]
  } catch {
    return undefined
  }
}

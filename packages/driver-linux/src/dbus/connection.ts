import type { Socket } from 'node:net'
import { authenticated, socketPaths } from './address.ts'
import { CALL, ERROR, Framer, type Head, type Message, RETURN, SIGNAL, SMALL, encode } from './message.ts'
import { isBusName } from './names.ts'
import { Queue } from './queue.ts'
import { type Body, Malformed } from './signature.ts'

/** More calls in flight to one peer stall the whole connection when that peer hangs. */
const IN_FLIGHT = 128
/** A peer that answers one call after the other is slow, not hung: its calls wait up to so many times their deadline. */
const PATIENCE = 10
const DAEMON = 'org.freedesktop.DBus'

/** A call that failed: the error's D-Bus name, or `timeout`, `closed`, `shape`, `large`, `unsendable`, `address`, `abstract` from our side. */
export class BusError extends Error {
  readonly reply: string

  constructor(reply: string, message: string) {
    super(`${reply}: ${message}`)
    this.reply = reply
  }
}

export interface CallOptions {
  deadlineMs?: number
  /** A larger answer is not taken: the call fails with `large`, before memory is spent on it. */
  mostBytes?: number
}

interface Waiting {
  /** When it gives up on a peer that is silent, and on one that goes on answering others. */
  deadline: number
  last: number
  patience: number
  mostBytes: number
  what: string
  peer: Peer
  done(reply: Message): void
  fail(error: BusError): void
}

/** A timed-out call keeps its place until it is answered, so a hung peer never gets more than IN_FLIGHT calls. */
interface Peer {
  destination: string
  inFlight: number
  /** When it last answered anything. */
  aliveAt: number
  queue: Queue<{ data: () => Buffer | undefined; waiting: Waiting }>
}

/** One connection to a message bus, or straight to a peer. */
export class Bus {
  /** Our unique name; empty on a peer-to-peer connection. */
  name = ''
  readonly closed: Promise<void>
  /** The text that a call to us is answered with; undefined where it is refused. */
  onCall: (call: Message) => Promise<string> | undefined = () => undefined
  readonly #socket: Socket
  readonly #framer = new Framer((head) => this.#waiting.get(head.replyTo)?.mostBytes ?? SMALL)
  readonly #waiting = new Map<number, Waiting>()
  readonly #overdue = new Map<number, Peer>()
  readonly #peers = new Map<string, Peer>()
  readonly #listeners = new Set<(signal: Message) => void>()
  #serial = 0
  #out: Buffer[] = []
  #open = true
  #timer: NodeJS.Timeout | undefined
  #timerAt = Infinity
  #tellClosed: () => void = () => {}

  static async connect(address: string, options: { deadlineMs?: number; peerToPeer?: boolean } = {}): Promise<Bus> {
    const deadlineMs = options.deadlineMs ?? 5000
    let last: unknown = new BusError('address', `no unix socket in "${address}"`)
    for (const path of socketPaths(address)) {
      try {
        const bus = new Bus(await authenticated(path, deadlineMs))
        if (!options.peerToPeer) [bus.name] = await bus.daemon('Hello', '', [], 's', { deadlineMs })
        return bus
      } catch (error) {
        // Node 20 pads the name of an abstract socket, and so asks for one that does not exist.
        last = path.startsWith('\0') ? new BusError('abstract', `${address} is an abstract socket, which this Node cannot reach`) : error
      }
    }
    throw last
  }

  private constructor(socket: Socket) {
    this.#socket = socket
    this.closed = new Promise((done) => (this.#tellClosed = done))
    socket.on('data', (data: Buffer) => this.#receive(data))
    socket.on('error', () => this.close())
    socket.on('close', () => this.close())
    socket.resume()
  }

  get isOpen(): boolean {
    return this.#open
  }

  /** Calls a method. The answer must have the signature `reply`; the deadline counts from the peer's last sign of life. */
  async call<S extends string, R extends string>(
    destination: string,
    path: string,
    iface: string,
    member: string,
    signature: S,
    args: Readonly<Body<S>>,
    reply: R,
    options: CallOptions = {},
  ): Promise<Body<R>> {
    const answer = await this.ask(destination, path, iface, member, signature, args, options)
    const body = answer.read(reply)
    if (body === undefined) throw new BusError('shape', `${iface}.${member} answered "${answer.signature}", not "${reply}"`)
    return body
  }

  /** Calls a method whose answer has one of several shapes. */
  ask<S extends string>(
    destination: string,
    path: string,
    iface: string,
    member: string,
    signature: S,
    args: Readonly<Body<S>>,
    options: CallOptions = {},
  ): Promise<Message> {
    return new Promise((done, fail) => {
      if (!this.#open) return fail(new BusError('closed', `${iface}.${member}: the connection is closed`))
      if (destination !== '' && !isBusName(destination)) return fail(new BusError('unsendable', `"${destination}" is no bus name`))
      const what = `${iface}.${member} of ${destination}${path}`
      const now = performance.now()
      const patience = options.deadlineMs ?? 5000
      const waiting: Waiting = {
        deadline: now + patience,
        last: now + PATIENCE * patience,
        patience,
        mostBytes: options.mostBytes ?? SMALL,
        what,
        peer: this.#peer(destination),
        done,
        fail,
      }
      const head = { type: CALL, path, iface, member, destination: destination === '' ? undefined : destination }
      this.#send(waiting, (serial) => encode(serial, head, signature, args))
    })
  }

  /** Calls the message bus itself. */
  daemon<S extends string, R extends string>(
    member: string,
    signature: S,
    args: Readonly<Body<S>>,
    reply: R,
    options?: CallOptions,
  ): Promise<Body<R>> {
    return this.call(DAEMON, '/org/freedesktop/DBus', DAEMON, member, signature, args, reply, options)
  }

  /** One property, of the type `type`. */
  async get<T extends string>(
    destination: string,
    path: string,
    iface: string,
    name: string,
    type: T,
    options?: CallOptions,
  ): Promise<Body<T>[0]> {
    const [variant] = await this.call(destination, path, 'org.freedesktop.DBus.Properties', 'Get', 'ss', [iface, name], 'v', options)
    if (variant.type !== type) throw new BusError('shape', `${iface}.${name} is of type ${variant.type}, not ${type}`)
    return variant.value as Body<T>[0]
  }

  async match(rule: string): Promise<void> {
    await this.daemon('AddMatch', 's', [rule], '')
  }

  onSignal(listener: (signal: Message) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    if (!this.#open) return
    this.#open = false
    clearTimeout(this.#timer)
    this.#socket.destroy()
    const queued = [...this.#peers.values()].flatMap((p) => p.queue.items.map((q) => q.waiting))
    for (const w of [...this.#waiting.values(), ...queued]) w.fail(new BusError('closed', `${w.what}: the connection closed`))
    this.#waiting.clear()
    this.#peers.clear()
    this.#tellClosed()
  }

  #peer(destination: string): Peer {
    let peer = this.#peers.get(destination)
    if (peer === undefined) this.#peers.set(destination, (peer = { destination, inFlight: 0, aliveAt: -Infinity, queue: new Queue() }))
    return peer
  }

  #send(waiting: Waiting, message: (serial: number) => Buffer): void {
    const data = (): Buffer | undefined => {
      const serial = (this.#serial = (this.#serial % 0xfffffffe) + 1)
      try {
        const bytes = message(serial)
        this.#waiting.set(serial, waiting)
        return bytes
      } catch (error) {
        waiting.fail(new BusError('unsendable', error instanceof Error ? error.message : String(error)))
        return undefined
      }
    }
    waiting.peer.queue.push({ data, waiting })
    this.#pump(waiting.peer)
    this.#arm(waiting.deadline)
  }

  #pump(peer: Peer): void {
    while (peer.inFlight < IN_FLIGHT) {
      const next = peer.queue.shift()
      if (next === undefined) return
      const bytes = next.data()
      if (bytes === undefined) continue
      peer.inFlight++
      if (this.#out.push(bytes) === 1) queueMicrotask(() => this.#flush())
    }
  }

  #flush(): void {
    const out = this.#out
    this.#out = []
    if (this.#open && out.length > 0) this.#socket.write(out.length === 1 && out[0] ? out[0] : Buffer.concat(out))
  }

  /** One timer for all calls: it is set to the earliest deadline. */
  #arm(deadline: number): void {
    if (deadline >= this.#timerAt) return
    clearTimeout(this.#timer)
    this.#timerAt = deadline
    this.#timer = setTimeout(() => this.#expire(), Math.max(0, deadline - performance.now()) + 1)
  }

  #expire(): void {
    const now = performance.now()
    this.#timerAt = Infinity
    const fail = (w: Waiting): void => w.fail(new BusError('timeout', `${w.what} did not answer in time`))
    let next = Infinity
    for (const [serial, w] of this.#waiting) {
      if (due(w) > now) next = Math.min(next, due(w))
      else {
        this.#waiting.delete(serial)
        this.#overdue.set(serial, w.peer)
        fail(w)
      }
    }
    for (const peer of this.#peers.values()) {
      const { items } = peer.queue
      for (const q of items) if (due(q.waiting) > now) next = Math.min(next, due(q.waiting))
      const late = items.filter((q) => due(q.waiting) <= now)
      if (late.length > 0) peer.queue.keep((q) => due(q.waiting) > now)
      for (const q of late) fail(q.waiting)
    }
    if (next < Infinity) this.#arm(next)
  }

  #receive(data: Buffer): void {
    try {
      this.#framer.push(data, (message) => this.#dispatch(message))
    } catch (error) {
      this.close()
      if (!(error instanceof Malformed)) throw error
    }
  }

  #dispatch(m: Message): void {
    if (m.type === RETURN || m.type === ERROR) this.#answer(m)
    else if (m.isTooLarge) return
    else if (m.type === SIGNAL) for (const listener of this.#listeners) listener(m)
    else if (m.type === CALL) this.#serve(m)
  }

  #answer(m: Message): void {
    const w = this.#waiting.get(m.replyTo)
    const peer = w?.peer ?? this.#overdue.get(m.replyTo)
    if (peer === undefined) return
    this.#waiting.delete(m.replyTo)
    this.#overdue.delete(m.replyTo)
    peer.inFlight--
    peer.aliveAt = performance.now()
    if (w !== undefined) settle(w, m)
    this.#pump(peer)
    if (peer.inFlight === 0) this.#peers.delete(peer.destination)
  }

  #serve(m: Message): void {
    const answer = this.onCall(m)
    const reply = (head: Pick<Head, 'type' | 'error'>, text: string): void => {
      if (!m.wantsReply || !this.#open) return
      const destination = m.sender === '' ? undefined : m.sender
      this.#socket.write(encode(++this.#serial, { ...head, replyTo: m.serial, destination }, 's', [text]))
    }
    const refuse = (): void => reply({ type: ERROR, error: `${DAEMON}.Error.UnknownMethod` }, 'nothing is served here')
    if (answer === undefined) refuse()
    else answer.then((text) => reply({ type: RETURN }, text), refuse)
  }
}

const due = (w: Waiting): number => Math.min(w.last, Math.max(w.deadline, w.peer.aliveAt + w.patience))

function settle(w: Waiting, m: Message): void {
  if (m.isTooLarge) w.fail(new BusError('large', `${w.what} answered more than is taken`))
  else if (m.type === ERROR) w.fail(new BusError(m.error, String(m.signature.startsWith('s') ? m.values()[0] : w.what)))
  else w.done(m)
}

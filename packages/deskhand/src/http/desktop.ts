import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { Link } from '@deskhand/core/driver/wire'
import type { DeskhandError } from '@deskhand/core/errors'
import type { DesktopEvent, MethodName, MethodResult, Principal } from '@deskhand/core/model'
import type { Authenticator } from '../broker/authenticator.ts'
import { FRONT } from '../broker/protocol.ts'
import { Feed } from './feed.ts'
import { LiveScreen } from './picture/live-screen.ts'
import { VncPort } from './picture/vnc-port.ts'

const QUICK_MS = 30_000
/** A call may wait for a person; the broker ends it, not the link. */
const CALL_MS = 24 * 3_600_000
const LASTING: ReadonlySet<string> = new Set(['call', 'replay', 'operations.result', 'journal.verify', 'policy.trial'])
/** Refusals on their way to the journal; more are not written, so that a flood costs bounded memory and disk. */
const MOST_REFUSALS = 64
/** The server itself, which reads the feed for its clients. */
const SERVER: Principal = { id: 'server', role: 'viewer' }

export interface AskOptions {
  signal?: AbortSignal
  onProgress?: (note: unknown) => void
}

/** One desktop as the server has it: its broker at the other end of a stream that only the two have. */
export class ServedDesktop {
  readonly name: string
  readonly tokens: Authenticator
  readonly feed = new Feed()
  readonly screen: LiveScreen
  readonly vncPort: VncPort
  readonly #link: Link
  readonly #progress = new Map<string, (note: unknown) => void>()
  #refusals = 0

  static async open(
    name: string,
    [stream, pictures]: readonly [calls: Duplex, pictures: Duplex],
    tokens: Authenticator,
  ): Promise<ServedDesktop> {
    const desktop = new ServedDesktop(name, stream, pictures, tokens)
    const { event: last } = await desktop.invoke('info', {}, SERVER)
    desktop.feed.begin(last.replace(/\d+$/, '0'))
    await desktop.invoke('events.subscribe', { name: 'feed', after: last.replace(/\d+$/, '0') }, SERVER)
    return desktop
  }

  private constructor(name: string, stream: Duplex, pictures: Duplex, tokens: Authenticator) {
    this.name = name
    this.tokens = tokens
    this.#link = new Link(stream, FRONT)
    this.screen = new LiveScreen(pictures)
    this.vncPort = new VncPort(this.screen, name)
    this.#link.handle('event', (params) => this.feed.push((params as { event: DesktopEvent }).event))
    this.#link.handle('progress', (params) => {
      const { progress, note } = params as { progress: string; note: unknown }
      this.#progress.get(progress)?.(note)
    })
    void this.#link.closed.then(() => {
      this.feed.close()
      this.vncPort.close()
    })
  }

  get closed(): Promise<DeskhandError | undefined> {
    return this.#link.closed
  }

  /** Asks the desktop for something of the table of methods, for a principal that the server has authenticated. */
  async invoke<M extends MethodName>(
    method: M,
    params: unknown,
    who: Principal,
    { signal, onProgress }: AskOptions = {},
  ): Promise<MethodResult<M>> {
    const progress = onProgress === undefined ? undefined : randomUUID()
    if (progress !== undefined && onProgress !== undefined) this.#progress.set(progress, onProgress)
    try {
      const asked = progress === undefined ? params : { ...(params as object), progress }
      const deadlineMs = LASTING.has(method) ? CALL_MS : QUICK_MS
      // However many calls of agents wait, an operator's does not wait behind them.
      const urgent = who.role === 'operator'
      return (await this.#link.call('as', { who, method, params: asked }, { deadlineMs, signal, urgent })) as MethodResult<M>
    } finally {
      if (progress !== undefined) this.#progress.delete(progress)
    }
  }

  /** Has it written down what an operator did at the server itself. */
  async noted(what: string, who: Principal, detail: Record<string, unknown>): Promise<void> {
    await this.#link.call('noted', { who, what, detail }, { deadlineMs: QUICK_MS })
  }

  /** Has it written down that a request was refused, without waiting for it. */
  refused(what: string, who: Principal, { code, message }: DeskhandError): void {
    if (this.#refusals >= MOST_REFUSALS) return
    this.#refusals++
    this.#link
      .call('refused', { who, what, code, message }, { deadlineMs: CALL_MS })
      .catch(() => {})
      .finally(() => this.#refusals--)
  }

  async close(): Promise<void> {
    await this.screen.close()
    await this.#link.close()
  }
}

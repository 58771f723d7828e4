import { setImmediate as eventLoop } from 'node:timers/promises'
import type { Action, Principal } from '../model/index.ts'
import type { Reader } from './read.ts'

/** So many looks of one principal are made at a time. */
const AT_ONCE = 2

interface Queue {
  running: number
  waiting: (() => void)[]
}

/**
 * Keeps an operator's call from waiting behind those of others, however many they make: work of agents and viewers begins one piece after the
 * other, with a turn of the event loop between two, in which an operator is heard. Looks that cost much wait for those of the same principal.
 */
export class Turns {
  readonly #queues = new Map<string, Queue>()
  #last: Promise<unknown> = Promise.resolve()

  /** Resolves when work of this principal may begin. */
  async begin({ role }: Principal): Promise<void> {
    if (role !== 'operator') await (this.#last = this.#last.then(() => eventLoop()))
  }

  /** Carries out a look in its turn; it must not wait for a person or a change. A look whose caller has left meanwhile is not made. */
  async look<T>(who: Principal, signal: AbortSignal, work: () => T | Promise<T>): Promise<T> {
    if (who.role === 'operator') return work()
    const name = `${who.role} ${who.id}`
    const queue = this.#queues.get(name) ?? { running: 0, waiting: [] }
    this.#queues.set(name, queue)
    if (queue.running >= AT_ONCE) await new Promise<void>((done) => queue.waiting.push(done))
    else queue.running++
    try {
      await this.begin(who)
      signal.throwIfAborted()
      return await work()
    } finally {
      const next = queue.waiting.shift()
      // The next one has its place.
      if (next !== undefined) next()
      else if (--queue.running === 0) this.#queues.delete(name)
    }
  }
}

/** Looks that cost much, and wait for no person and no change. */
const COSTLY: ReadonlySet<Action['do']> = new Set<Action['do']>(['snapshot', 'capture'])

/** A reader whose costly looks are made in turns. */
export const readInTurns = (reader: Reader, turns: Turns): Pick<Reader, 'read'> => ({
  read: (decided, signal) => {
    const { action, call } = decided
    const read = (): ReturnType<Reader['read']> => reader.read(decided, signal)
    return COSTLY.has(action.do) ? turns.look(call.principal, signal, read) : read()
  },
})

import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '../../errors.ts'
import type { Act, Driver, Observe } from '../driver.ts'
import type { HostedDriver } from './spawn.ts'

/** A host that dies this often in a row within this time is given up. */
const MOST_DEATHS = 3
const WITHIN_MS = 30_000

export interface Supervised {
  driver: Driver
  /** When it is given up, or the desktop itself is gone. */
  died: Promise<DeskhandError>
  /** Ends the host, or the start of one that is under way; another is started. Returns when the old one has ended. */
  restart(): Promise<void>
}

/** A driver whose host is started anew when it dies. Calls in flight fail with DRIVER_DEAD; keys of the old life are unknown to the new one. */
export async function supervise(start: (ended: AbortSignal) => Promise<HostedDriver>): Promise<Supervised> {
  let current = await start(new AbortController().signal)
  let starting: Promise<HostedDriver> = Promise.resolve(current)
  let isUp = true
  /** Ends the start that is under way. */
  let endStart: (() => Promise<void>) | undefined
  let closed = false
  let giveUp: (why: DeskhandError) => void = () => {}
  const died = new Promise<DeskhandError>((resolve) => (giveUp = resolve))
  const deaths: number[] = []

  const startAgain = async (): Promise<HostedDriver> => {
    while (!closed) {
      const ended = new AbortController()
      const coming = start(ended.signal)
      endStart = async () => {
        ended.abort()
        await coming.then(
          (fresh) => fresh.close(),
          () => {},
        )
      }
      try {
        const fresh = await coming
        if (!ended.signal.aborted) {
          endStart = undefined
          isUp = true
          return (current = fresh)
        }
        await fresh.close()
      } catch (thrown) {
        if (!ended.signal.aborted) throw thrown
      }
    }
    throw new DeskhandError('DRIVER_DEAD', 'the driver was closed while its host was started anew')
  }

  const watch = (host: HostedDriver): void => {
    void host.died.then((death) => {
      isUp = false
      if (closed) return
      const now = performance.now()
      deaths.push(now)
      if (deaths.filter((t) => now - t < WITHIN_MS).length > MOST_DEATHS) return giveUp(death)
      starting = sleep(50).then(startAgain)
      starting.then(
        (fresh) => (closed ? void fresh.close() : watch(fresh)),
        (thrown: unknown) => closed || giveUp(DeskhandError.from(thrown)),
      )
    })
  }
  watch(current)

  const observe = forward<Observe>(async () => (await starting).observe)
  const act = forward<Act>(async () => (await starting).act, {
    // A host that is not up holds nothing, so that there is nothing to wait for.
    stop: async () => (isUp ? current.act.stop() : undefined),
  })
  return {
    died,
    restart: async () => {
      deaths.splice(0)
      if (!isUp) return endStart?.()
      endPolitely(current.pid)
      await current.died
    },
    driver: {
      observe,
      act,
      close: async () => {
        closed = true
        await Promise.all([endStart?.(), current.close()])
      },
    },
  }
}

function endPolitely(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM')
  } catch {
    // It ended by itself.
  }
}

/** An object that passes every method but its own on to what `target` gives at the time of the call. */
function forward<T extends object>(target: () => Promise<T>, own: Partial<T> = {}): T {
  return new Proxy(own as T, {
    get: (_, name) =>
      (Reflect.get(own, name) as unknown) ??
      (async (...args: unknown[]): Promise<unknown> => {
        const on = await target()
        const method: unknown = Reflect.get(on, name)
        if (typeof method !== 'function') throw new DeskhandError('INTERNAL', `a driver has no ${String(name)}`)
        return Reflect.apply(method, on, args)
      }),
  })
}

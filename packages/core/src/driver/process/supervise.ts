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
  /** Deaths so far count no more: the next one is wanted. */
  forgive(): void
}

/** A driver whose host is started anew when it dies. Calls in flight fail with DRIVER_DEAD; keys of the old life are unknown to the new one. */
export async function supervise(start: () => Promise<HostedDriver>): Promise<Supervised> {
  let current = await start()
  let starting: Promise<HostedDriver> = Promise.resolve(current)
  let closed = false
  let giveUp: (why: DeskhandError) => void = () => {}
  const died = new Promise<DeskhandError>((resolve) => (giveUp = resolve))
  const deaths: number[] = []

  const watch = (host: HostedDriver): void => {
    void host.died.then((death) => {
      if (closed) return
      const now = performance.now()
      deaths.push(now)
      if (deaths.filter((t) => now - t < WITHIN_MS).length > MOST_DEATHS) return giveUp(death)
      starting = sleep(50).then(start)
      starting.then(
        (fresh) => {
          if (closed) return void fresh.close()
          current = fresh
          watch(fresh)
        },
        (thrown: unknown) => giveUp(DeskhandError.from(thrown)),
      )
    })
  }
  watch(current)

  const observe = forward<Observe>(async () => (await starting).observe)
  const act = forward<Act>(async () => (await starting).act)
  return {
    died,
    forgive: () => void deaths.splice(0),
    driver: {
      observe,
      act,
      close: async () => {
        closed = true
        await current.close()
      },
    },
  }
}

/** An object that passes every method on to what `target` gives at the time of the call. */
function forward<T extends object>(target: () => Promise<T>): T {
  return new Proxy({} as T, {
    get:
      (_, name) =>
      async (...args: unknown[]): Promise<unknown> => {
        const on = await target()
        const method: unknown = Reflect.get(on, name)
        if (typeof method !== 'function') throw new DeskhandError('INTERNAL', `a driver has no ${String(name)}`)
        return Reflect.apply(method, on, args)
      },
  })
}

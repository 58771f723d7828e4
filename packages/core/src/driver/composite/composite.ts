import type { Ctx, Driver } from '../driver.ts'
import { MergedAct } from './merged-act.ts'
import { MergedObserve } from './merged-observe.ts'
import { Part, Parts } from './part.ts'

export interface CompositeOptions {
  /** How long a driver may take to tell its changes. */
  hungMs?: number
}

/** One desktop served by several drivers, the preferred one first. A driver that ends or hangs is left out until it is back. */
export async function composeDrivers(drivers: readonly Driver[], ctx: Ctx, { hungMs = 5000 }: CompositeOptions = {}): Promise<Driver> {
  const [only, ...others] = drivers
  if (only === undefined) throw new RangeError('a desktop needs a driver')
  if (others.length === 0) return only
  const parts = new Parts(await Promise.all(drivers.map(async (driver, i) => new Part(driver, i, await driver.observe.info(ctx)))))
  const observe = new MergedObserve(parts, hungMs)
  return {
    observe,
    act: new MergedAct(parts, observe),
    async close() {
      observe.close()
      await Promise.all(drivers.map((driver) => driver.close()))
    },
  }
}

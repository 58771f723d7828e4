import { DeskhandError } from '../../errors.ts'
import { CAPS, PROTOCOL, type Cap, type Ctx, type Driver, type DriverInfo, type DriverPart } from '../driver.ts'
import { MergedAct } from './merged-act.ts'
import { MergedObserve } from './merged-observe.ts'
import { Part, Parts } from './part.ts'

export interface CompositeOptions {
  /** How long a driver may take to tell its changes. */
  hungMs?: number
}

/** A driver whose owner knows what it is before it answers. */
export interface KnownDriver extends Driver {
  part?: DriverPart
}

/**
 * One desktop served by several drivers, the preferred one first. A driver that ends or hangs is left out until it is back, also one that is
 * not there yet; only the first one must be.
 */
export async function composeDrivers(drivers: readonly KnownDriver[], ctx: Ctx, { hungMs = 5000 }: CompositeOptions = {}): Promise<Driver> {
  const [only, ...others] = drivers
  if (only === undefined) throw new RangeError('a desktop needs a driver')
  if (others.length === 0) return only
  const parts = new Parts(await Promise.all(drivers.map((driver, i) => partOf(driver, i, ctx))))
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

async function partOf(driver: KnownDriver, index: number, ctx: Ctx): Promise<Part> {
  try {
    return new Part(driver, index, await driver.observe.info(ctx))
  } catch (thrown) {
    if (index === 0) throw thrown
    const part = new Part(driver, index, absent(driver.part, index))
    part.down = DeskhandError.from(thrown)
    return part
  }
}

function absent(known: DriverPart | undefined, index: number): DriverInfo {
  const gap: Cap = { ok: false, reason: 'the driver has not answered yet' }
  const part = known ?? { kind: `driver${index}`, name: `driver${index}`, version: '', prefixes: [] }
  return { ...part, protocol: PROTOCOL, desktop: '', epoch: '', can: Object.fromEntries(CAPS.map((c) => [c, gap])) as DriverInfo['can'] }
}

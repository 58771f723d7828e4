import type { Duplex } from 'node:stream'
import { DeskhandError } from '../../errors.ts'
import type { Driver } from '../driver.ts'
import { ANSWERS, driverOver } from '../wire/dispatch.ts'
import { Link } from '../wire/link.ts'
import { DRIVER_PROTOCOL } from '../wire/methods.ts'

export interface ServedDriver {
  /** When the link has ended, the driver has stopped and closed: time for the process to exit. Tells why the link ended. */
  ended: Promise<DeskhandError | undefined>
  close(reason?: DeskhandError): Promise<void>
}

/** How long a driver may take to stop, and then to close, once its client is gone. */
const STOP_MS = 2000
const CLOSE_MS = 3000

/** The half in the driver's process: answers for the driver, and stops it when the link ends, for any reason. */
export function serveDriver(opening: Driver | Promise<Driver>, stream: Duplex): ServedDriver {
  const driver = Promise.resolve(opening)
  const link = new Link(stream, { protocol: DRIVER_PROTOCOL })
  for (const [name, answer] of Object.entries(ANSWERS)) link.handle(name, async (params, ctx) => answer(await driver, params, ctx))
  driver.catch((thrown: unknown) => link.close(DeskhandError.from(thrown)))
  const ended = link.closed.then(async (reason) => {
    await stopAndClose(driver)
    return reason
  })
  return { ended, close: (reason) => link.close(reason) }
}

/** Releases everything that a driver holds and closes it, but does not wait forever; a failure is ignored. */
export async function stopAndClose(driver: Driver | Promise<Driver>): Promise<void> {
  const opened = Promise.resolve(driver)
  await bounded(
    STOP_MS,
    opened.then((d) => d.act.stop()),
  )
  await bounded(
    CLOSE_MS,
    opened.then((d) => d.close()),
  )
}

/** The half in the broker's process: a driver like any other. What does not fit the schemas is a PROTOCOL error. */
export function remoteDriver(stream: Duplex | Link): Driver {
  const link = stream instanceof Link ? stream : new Link(stream, { protocol: DRIVER_PROTOCOL })
  return { ...driverOver((method, params, options) => link.call(method, params, options)), close: () => link.close() }
}

/** Waits for a clean-up, but not forever; its failure is ignored. */
async function bounded(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  await Promise.race([work.catch(() => {}), new Promise((resolve) => (timer = setTimeout(resolve, ms)))])
  clearTimeout(timer)
}

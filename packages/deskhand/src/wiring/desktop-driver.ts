import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { within, type Driver } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import type { VirtualDriver } from '@deskhand/driver-virtual'
import type { Config } from '../config.ts'
import { stateDir } from '../defaults.ts'
import type { AddedEntry } from './driver-entries.ts'
import { driverFactory, hostDriver, hostKind, type DriverHost } from './driver-registry.ts'

interface DesktopDriver {
  driver: Driver
  simulated?: VirtualDriver
  env?: NodeJS.ProcessEnv
  warnings?: readonly string[]
  died: Promise<DeskhandError>
  /** Opens and closes a person's own desktop by their consent, where that is needed. */
  admit?: (isGiven: boolean) => Promise<void>
  /** Ends an application of this desktop, where they are ours to end. */
  end?: (pid: number) => Promise<void>
  /** Gives the screen another size, where it is ours. */
  resize?: (width: number, height: number) => Promise<void>
  down(): Promise<void>
}

/** The desktop that the configuration names, and the drivers on it. `hostEnv` is what programs on a person's own desktop inherit. */
export async function openDriver(
  config: Config,
  urn: string,
  hostEnv: NodeJS.ProcessEnv,
  added: readonly AddedEntry[],
): Promise<DesktopDriver> {
  const own = await openOwnDriver(config, urn, hostEnv)
  if (added.length === 0) return own
  try {
    const { withAdded } = await import('./added-drivers.ts')
    return { ...own, driver: await withAdded(own.driver, added) }
  } catch (thrown) {
    await own.driver.close()
    await own.down()
    throw thrown
  }
}

async function openOwnDriver(config: Config, urn: string, hostEnv: NodeJS.ProcessEnv): Promise<DesktopDriver> {
  const { kind } = config.desktop
  switch (kind) {
    case 'virtual': {
      const ui = readFileSync(config.desktop.ui ?? new URL('../../demo/invoices.ui.json', import.meta.url), 'utf8')
      const simulated = await (await driverFactory('virtual')).open({ urn, env: {}, ui })
      return { driver: simulated, simulated, died: new Promise(() => {}), down: async () => {} }
    }
    case 'sandbox':
      return openSandbox(config, urn)
    case 'host':
      return openHost(urn, withAirbag(hostEnv, config))
    default:
      return kind satisfies never
  }
}

const withAirbag = (env: NodeJS.ProcessEnv, { desktop }: Config): NodeJS.ProcessEnv => ({
  ...env,
  DESKHAND_AIRBAG: desktop.airbag,
  DESKHAND_AIRBAG_EXCEPT: desktop.airbagExcept.join('|'),
})

/** A person's own desktop. Its driver is started anew with every change of their consent, so that nothing of the one before is left. */
async function openHost(urn: string, env: NodeJS.ProcessEnv): Promise<DesktopDriver> {
  // Only a restart says that consent was given, whatever the environment says.
  const host = await hostDriver(hostKind(), { ...env, DESKHAND_CONSENT: undefined, DESKHAND_SWAYSOCK: undefined }, urn)
  const { can } = await host.driver.observe.info(within(CONSENT_MS))
  const asks = Object.values(can).some((cap) => !cap.ok && cap.consent)
  let latest = 0
  const admit = async (isGiven: boolean): Promise<void> => {
    const mine = ++latest
    if (isGiven) await host.restart({ DESKHAND_CONSENT: 'given' }, DIALOG_MS)
    else await host.restart()
    await host.driver.observe.info(within(isGiven ? DIALOG_MS : CONSENT_MS))
    if (isGiven && mine !== latest) throw new DeskhandError('CANCELLED', 'the consent ended before the desktop was open')
  }
  return { ...host, ...(asks && { admit }), down: async () => {} }
}

/** How long a driver may take to come up. */
const CONSENT_MS = 10_000
/** … where the desktop may ask its person in a dialog of its own first. */
const DIALOG_MS = 150_000

/** The sandbox and the driver on it; a driver that lost the accessibility bus is started anew with the bus. */
async function openSandbox(config: Config, urn: string): Promise<DesktopDriver> {
  const { ownSandbox } = await import('../desktop/owned-sandbox.ts')
  let host: DriverHost | undefined
  const owned = await ownSandbox(join(stateDir(config), 'sandboxes'), config.desktop, (part) => {
    if (part.startsWith('accessibility')) void host?.restart()
  })
  const { env, warnings, end, resize, down } = owned
  try {
    host = await hostDriver('linux', withAirbag(env, config), urn)
    return { driver: host.driver, env, warnings, end, resize, down, died: Promise.race([owned.died, host.died.then(owned.explain)]) }
  } catch (thrown) {
    await down()
    throw thrown
  }
}

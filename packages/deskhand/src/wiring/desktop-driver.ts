import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Driver } from '@deskhand/core/driver'
import type { DeskhandError } from '@deskhand/core/errors'
import type { VirtualDriver } from '@deskhand/driver-virtual'
import type { Config } from '../config.ts'
import { stateDir } from '../defaults.ts'
import { driverFactory, hostDriver, hostKind, type DriverHost } from './driver-registry.ts'

interface DesktopDriver {
  driver: Driver
  simulated?: VirtualDriver
  env?: NodeJS.ProcessEnv
  warnings?: readonly string[]
  died: Promise<DeskhandError>
  /** Ends an application of this desktop, where they are ours to end. */
  end?: (pid: number) => Promise<void>
  down(): Promise<void>
}

/** The desktop that the configuration names, and the driver on it. `hostEnv` is what programs on a person's own desktop inherit. */
export async function openDriver(config: Config, urn: string, hostEnv: NodeJS.ProcessEnv): Promise<DesktopDriver> {
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
      return { ...(await hostDriver(hostKind(), hostEnv, urn)), down: async () => {} }
    default:
      return kind satisfies never
  }
}

/** The sandbox and the driver on it; a driver that lost the accessibility bus is started anew with the bus. */
async function openSandbox(config: Config, urn: string): Promise<DesktopDriver> {
  const { ownSandbox } = await import('../desktop/owned-sandbox.ts')
  let host: DriverHost | undefined
  const owned = await ownSandbox(join(stateDir(config), 'sandboxes'), config.desktop, (part) => {
    if (part.startsWith('accessibility')) host?.restart()
  })
  const { env, warnings, end, down } = owned
  try {
    host = await hostDriver('linux', env, urn)
    return { driver: host.driver, env, warnings, end, down, died: Promise.race([owned.died, host.died.then(owned.explain)]) }
  } catch (thrown) {
    await down()
    throw thrown
  }
}

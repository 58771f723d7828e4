import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { duplexPair } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { composeDrivers, type Driver, remoteDriver, serveDriver, spawnHost, within } from '@deskhand/core/driver'
import { CONTRACT_WINDOW as fixture, describeDriver, type Opened } from '@deskhand/core/driver/contract'
import { openVirtual } from '@deskhand/driver-virtual'
import { onlySees } from './kit.ts'

const ui: unknown = JSON.parse(readFileSync(new URL('../fixtures/contract.ui.json', import.meta.url), 'utf8'))

async function inProcess(): Promise<Opened> {
  const driver = openVirtual({ ui })
  return { driver, fixture, close: () => driver.close() }
}

async function overTheWire(): Promise<Opened> {
  const [here, there] = duplexPair()
  const served = serveDriver(openVirtual({ ui }), there)
  const driver = remoteDriver(here)
  const close = async (): Promise<void> => {
    await driver.close()
    await served.ended
  }
  return { driver, fixture, close }
}

async function inItsOwnProcess(): Promise<Opened> {
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
  const main = `
    import { runHost } from '@deskhand/core/driver'
    import { openVirtual } from '@deskhand/driver-virtual'
    await runHost(async () => openVirtual({ ui: ${JSON.stringify(ui)} }))
  `
  const args = ['--conditions=@deskhand/source', '--import', tsx, '--input-type=module', '--eval', main]
  const driver = await spawnHost({ command: process.execPath, args, readyMs: 60_000 })
  return { driver, fixture, close: () => driver.close() }
}

const OTHER = [
  {
    element_id: 'other',
    element_type: 'window',
    label_text: 'Other',
    bounds_relative: [0.6, 0.05, 0.35, 0.9],
    children: [{ element_id: 'b', element_type: 'button', label_text: 'Press me' }],
  },
]

async function composite(drivers: (contract: Driver, other: Driver) => Driver[]): Promise<Opened> {
  const driver = await composeDrivers(drivers(openVirtual({ ui }), openVirtual({ ui: OTHER })), within(10_000))
  return { driver, fixture, close: () => driver.close() }
}

describeDriver('the virtual driver', inProcess)
describeDriver('the virtual driver', inProcess, { without: 'semantic' })
describeDriver('the virtual driver', inProcess, { without: 'pointer' })
describeDriver('the virtual driver over a wire', overTheWire)
describeDriver('the virtual driver in its own process', inItsOwnProcess)
describeDriver('two drivers on one desktop', () => composite((contract, other) => [contract, other]))
describeDriver('two drivers on one desktop, of which the preferred one only sees', () =>
  composite((contract, other) => [onlySees(other), contract]),
)
describeDriver('two drivers on one desktop', () => composite((contract, other) => [contract, other]), { without: 'pointer' })

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { duplexPair } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { remoteDriver, serveDriver, spawnHost } from '@deskhand/core/driver'
import { CONTRACT_WINDOW as fixture, describeDriver, type Opened } from '@deskhand/core/driver/contract'
import { openVirtual } from '@deskhand/driver-virtual'

const ui: unknown = JSON.parse(readFileSync(new URL('fixtures/contract.ui.json', import.meta.url), 'utf8'))

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

describeDriver('the virtual driver', inProcess)
describeDriver('the virtual driver', inProcess, { without: 'semantic' })
describeDriver('the virtual driver', inProcess, { without: 'pointer' })
describeDriver('the virtual driver over a wire', overTheWire)
describeDriver('the virtual driver in its own process', inItsOwnProcess)

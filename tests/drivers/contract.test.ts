import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { CONTRACT_WINDOW as fixture, describeDriver, type Opened } from '@deskhand/core/driver/contract'
import { ChildChannel } from '../../packages/deskhand/src/drivers/child-channel.ts'
import { HttpChannel, type HttpOptions } from '../../packages/deskhand/src/drivers/http-channel.ts'
import { openMcpDriver } from '../../packages/deskhand/src/drivers/mcp-driver.ts'
import { BIN } from '../support/cli.ts'

const ui = resolve(import.meta.dirname, '../fixtures/contract.ui.json')

async function asMcpServer(): Promise<Opened> {
  const channel = new ChildChannel({ command: [process.execPath, BIN, 'driver', 'virtual', '--mcp', '--ui', ui] })
  const driver = await openMcpDriver(channel, 60_000)
  return { driver, fixture, close: () => driver.close() }
}

async function atAnAddress(): Promise<Opened> {
  const child = spawn(process.execPath, [BIN, 'driver', 'virtual', '--mcp', '--port', '0', '--ui', ui])
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const driver = await openMcpDriver(new HttpChannel(JSON.parse(line.toString()) as HttpOptions), 60_000)
  const close = async (): Promise<void> => {
    await driver.close()
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return { driver, fixture, close }
}

describeDriver('the virtual driver as an MCP server', asMcpServer)
describeDriver('the virtual driver as an MCP server at an address', atAnAddress)

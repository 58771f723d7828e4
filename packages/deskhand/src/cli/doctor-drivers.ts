import { DeskhandError } from '@deskhand/core/errors'
import { visible } from '@deskhand/core/selector/quote'
import { stateDir } from '../defaults.ts'
import { openMcpDriver } from '../drivers/mcp-driver.ts'
import { Extensions } from '../extension/store.ts'
import { channelOf } from '../wiring/added-drivers.ts'
import { driverEntries, type AddedEntry } from '../wiring/driver-entries.ts'
import { configOf } from './config.ts'
import type { Check } from '@deskhand/core/model'
import type { Common } from './common.ts'

const READY_MS = 10_000

/** The drivers that the configuration and extensions add, each started for a moment and asked what it can do. */
export async function addedDrivers(common: Common): Promise<Check[]> {
  let entries: AddedEntry[]
  try {
    const config = configOf(common)
    entries = driverEntries(config, new Extensions(stateDir(config)).all(config.extensions.keys))
  } catch (thrown) {
    const { message, next } = DeskhandError.from(thrown)
    return [{ what: 'added drivers', ok: false, detail: message, fix: next }]
  }
  return Promise.all(entries.map(state))
}

async function state({ name, prefixes = [name], risk, mcp, cwd }: AddedEntry): Promise<Check> {
  const what = `driver ${name}`
  try {
    const driver = await openMcpDriver(channelOf(mcp, cwd), READY_MS)
    await driver.close()
    const { info } = driver
    const steps = Object.entries(info.can).flatMap(([cap, { ok }]) => (ok && cap.startsWith('step:') ? [cap.slice('step:'.length)] : []))
    const detail = `${info.name} ${info.version} answers; ${prefixes.map((p) => `${p}:`).join(' ')} risk at least ${risk}; ${steps.join(', ') || 'only tells'}`
    return { what, ok: true, detail: visible(detail).slice(0, LONGEST) }
  } catch (thrown) {
    const { message } = DeskhandError.from(thrown)
    if (message.includes(' answered 409')) return { what, ok: true, detail: 'serves a client already, such as a desktop that is up' }
    const how = 'command' in mcp ? `-- ${mcp.command.join(' ')}` : `--url ${mcp.url}`
    return { what, ok: false, detail: visible(message).slice(0, LONGEST), fix: `Look what it says: deskhand driver check ${how}` }
  }
}

const LONGEST = 300

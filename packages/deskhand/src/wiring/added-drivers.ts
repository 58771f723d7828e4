import { setTimeout as sleep } from 'node:timers/promises'
import type { AddedEntry } from './driver-entries.ts'
import { composeDrivers, type Driver, within } from '@deskhand/core/driver'
import { AddedDriver } from '../drivers/added-driver.ts'
import type { Channel } from '../drivers/channel.ts'
import { ChildChannel } from '../drivers/child-channel.ts'
import type { DriverEntry } from '../drivers/entry.ts'
import { HttpChannel } from '../drivers/http-channel.ts'

const INFO_MS = 10_000
/** So long the desktop waits for the drivers that are added to it. */
const START_MS = 5000

/** The desktop's own driver, and behind it those that were added; one that does not start yet is left out until it does. */
export async function withAdded(own: Driver, entries: readonly AddedEntry[]): Promise<Driver> {
  const added = entries.map(
    ({ name, prefixes = [name], risk, mcp, cwd }) => new AddedDriver({ name, prefixes, risk, open: () => channelOf(mcp, cwd) }),
  )
  await Promise.race([Promise.all(added.map((driver) => driver.start())), sleep(START_MS, undefined, { ref: false })])
  try {
    return await composeDrivers([own, ...added], within(INFO_MS))
  } catch (thrown) {
    await Promise.all(added.map((driver) => driver.close()))
    throw thrown
  }
}

export function channelOf(mcp: DriverEntry['mcp'], cwd: string | undefined): Channel {
  if ('command' in mcp) return new ChildChannel({ ...mcp, cwd })
  const { url, tokenEnv } = mcp
  return new HttpChannel({ url, token: tokenEnv === undefined ? undefined : process.env[tokenEnv] })
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { AddedEntry } from './driver-entries.ts'
import { composeDrivers, type Driver, within } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
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
  const { name: ownName, kind, prefixes: taken } = await own.observe.info(within(INFO_MS))
  for (const { name, prefixes = [name] } of entries) mustBeFree([name, ...prefixes], [ownName, kind, ...taken])
  await Promise.race([Promise.all(added.map((driver) => driver.start())), sleep(START_MS, undefined, { ref: false })])
  try {
    return await composeDrivers([own, ...added], within(INFO_MS))
  } catch (thrown) {
    await Promise.all(added.map((driver) => driver.close()))
    throw thrown
  }
}

/** A selector with the prefix of the desktop's own driver means what that one tells of, and nothing else. */
function mustBeFree(words: readonly string[], taken: readonly string[]): void {
  const clash = words.find((word) => taken.includes(word))
  if (clash !== undefined)
    throw new DeskhandError('BAD_CONFIG', `an added driver would speak for ${clash}:, which is the desktop's own driver`, {
      next: 'Give it another name, and other prefixes, in deskhand.toml or in its extension.',
    })
}

export function channelOf(mcp: DriverEntry['mcp'], cwd: string | undefined): Channel {
  if ('command' in mcp) return new ChildChannel({ ...mcp, cwd })
  const { url, tokenEnv } = mcp
  return new HttpChannel({ url, token: tokenEnv === undefined ? undefined : process.env[tokenEnv] })
}

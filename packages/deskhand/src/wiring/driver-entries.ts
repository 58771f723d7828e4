import { dirname } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import type { Config } from '../config.ts'
import type { DriverEntry } from '../drivers/entry.ts'
import { driversOf, type Extension } from '../extension/store.ts'

/** A driver that is added to a desktop, and the folder that its command is started in. */
export type AddedEntry = DriverEntry & { cwd?: string }

/** The drivers that the configuration and extensions add; rules and selectors must tell them apart. */
export function driverEntries(config: Config, extensions: readonly Extension[]): AddedEntry[] {
  const cwd = config.file === undefined ? undefined : dirname(config.file)
  const entries = [...config.drivers.map((entry): AddedEntry => ({ ...entry, cwd })), ...driversOf(extensions)]
  const prefixes = entries.flatMap(({ name, prefixes: own = [name] }) => own)
  const twice = twiceIn(entries.map(({ name }) => name)) ?? twiceIn(prefixes)
  if (twice !== undefined)
    throw new DeskhandError('BAD_CONFIG', `two drivers are called ${twice}`, {
      next: 'Rename the one in deskhand.toml, or take the extension away: deskhand extension list',
    })
  return entries
}

const twiceIn = (names: readonly string[]): string | undefined => names.find((name, i) => names.indexOf(name) !== i)

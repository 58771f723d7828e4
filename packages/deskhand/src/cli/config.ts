import { loadConfig, type Config } from '../config.ts'
import type { Common } from './common.ts'

/** The whole configuration, with what the command line says on top. */
export function configOf(common: Common, flags: Parameters<typeof loadConfig>[0] = {}): Config {
  return loadConfig({
    file: common.config,
    ...flags,
    flags: { ...flags.flags, desktop: { ...flags.flags?.desktop, ...(common.name === undefined ? {} : { name: common.name }) } },
  })
}

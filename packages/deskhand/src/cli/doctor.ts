import { DeskhandError } from '@deskhand/core/errors'
import type { Check } from '@deskhand/core/model'
import { json } from '@deskhand/core/selector/quote'
import { Config } from '../config.ts'
import { stateDir } from '../defaults.ts'
import { examine } from '../operator/doctor.ts'
import type { Common } from './common.ts'
import { configOf } from './config.ts'
import { addedDrivers } from './doctor-drivers.ts'
import { trust } from './trust.ts'

/** What is there, what is missing, and the line that gets it. */
export async function doctor(common: Common, options: { json?: boolean }): Promise<void> {
  const read = configuration(common)
  const checks = [read.check, ...(await examine(read.config)), ...(await addedDrivers(common)), ...(await trust(common))]
  if (options.json) process.stdout.write(`${json(checks)}\n`)
  else
    for (const c of checks)
      process.stdout.write(
        `${c.ok ? 'ok     ' : 'missing'}  ${c.what.padEnd(22)}  ${c.detail}${c.fix === undefined ? '' : `\n${' '.repeat(33)}${c.fix}`}\n`,
      )
}

/** The configuration, or where it cannot be read what is wrong with it; the rest is examined as if there were none. */
function configuration(common: Common): { config: Config; check: Check } {
  const what = 'configuration'
  try {
    const config = configOf(common)
    const detail = `desktop ${config.desktop.kind}, mode ${config.policy.mode}, state in ${stateDir(config)}`
    return { config, check: { what, ok: true, detail } }
  } catch (thrown) {
    const { message, next } = DeskhandError.from(thrown)
    return { config: Config.parse({}), check: { what, ok: false, detail: message, fix: next } }
  }
}

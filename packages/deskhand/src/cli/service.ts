import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { agreed } from './agreed.ts'
import type { Common } from './common.ts'

/** Settings of this shell that the service keeps. */
const KEPT = ['DESKHAND_CONFIG', 'DESKHAND_STATE'] as const

/** Prints a unit of systemd that runs `deskhand up` with these arguments. */
export function print(common: Common, args: readonly string[]): void {
  process.stdout.write(unit(common, args))
}

/** Puts the unit where systemd looks for those of this user, or takes it away again; asks first, and starts nothing. */
export async function install(
  common: Common,
  args: readonly string[],
  { yes, remove }: { yes?: boolean; remove?: boolean },
): Promise<void> {
  const config = process.env['XDG_CONFIG_HOME'] ?? ''
  const file = join(config === '' ? join(homedir(), '.config') : config, 'systemd/user/deskhand.service')
  if (remove && !existsSync(file)) return say(`there is no ${file}`)
  if (!(await agreed(remove ? `remove ${file}` : `write ${file}`, yes))) return say('nothing was changed')
  if (remove) {
    rmSync(file)
    return say(`removed ${file}\nnow:   systemctl --user daemon-reload`)
  }
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, unit(common, args), { mode: 0o600 })
  say(
    `wrote ${file}\nstart: systemctl --user daemon-reload && systemctl --user enable --now deskhand\nlook:  journalctl --user -u deskhand`,
  )
}

function unit({ config, name }: Common, args: readonly string[]): string {
  const template = readFileSync(new URL('../../service/deskhand.service', import.meta.url), 'utf8')
  const own = [...(config === undefined ? [] : ['--config', resolve(config)]), ...(name === undefined ? [] : ['--name', name])]
  const command = [process.execPath, resolve(process.argv[1] ?? ''), ...own, 'up', ...args]
  const settings = KEPT.flatMap((key) => (process.env[key] === undefined ? [] : [`${key}=${process.env[key]}`]))
  const environment = settings.map((setting) => `Environment=${quoted(setting)}\n`).join('')
  return template.replace('@COMMAND@', () => command.map(quoted).join(' ')).replace('@ENVIRONMENT@\n', () => environment)
}

/** A word of a unit: systemd reads %, $, quotes and backslashes otherwise. */
const quoted = (word: string): string =>
  /^[\w@./:=+-]+$/.test(word) ? word : `"${word.replaceAll(/["\\]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`

const say = (text: string): void => void process.stdout.write(`${text}\n`)

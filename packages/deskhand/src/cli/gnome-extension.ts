import { execFileSync } from 'node:child_process'
import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import { EXTENSION, extensionFor } from '@deskhand/driver-linux'

const ENABLED = ['org.gnome.shell', 'enabled-extensions']

/** Puts our extension among those that GNOME Shell loads when a person logs in; it answers to programs of this Node alone. */
export function extendGnome({ remove = false }: { remove?: boolean }): void {
  const folder = join(process.env['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share'), 'gnome-shell', 'extensions', EXTENSION)
  if (remove) {
    rmSync(folder, { recursive: true, force: true })
    enable(false)
    process.stdout.write(`removed ${folder}; GNOME loads it no more once you have logged in again\n`)
    return
  }
  const version = Number(/(\d+)/.exec(run('gnome-shell', '--version'))?.[1] ?? 0)
  const program = realpathSync(process.execPath)
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(extensionFor(version, program))) writeFileSync(join(folder, name), text)
  enable(true)
  process.stdout.write(
    `wrote ${folder}: log out and in again, then GNOME tells every program of ${program} where windows are. Agents still need: deskhand consent give\n`,
  )
}

function enable(isOn: boolean): void {
  const told = run('gsettings', 'get', ...ENABLED)
  const others = [...told.matchAll(/'([^']+)'/g)].map(([, name]) => name ?? '').filter((name) => name !== EXTENSION)
  const names = isOn ? [...others, EXTENSION] : others
  run('gsettings', 'set', ...ENABLED, `[${names.map((name) => `'${name}'`).join(', ')}]`)
}

function run(program: string, ...args: string[]): string {
  try {
    return execFileSync(program, args, { encoding: 'utf8' })
  } catch (cause) {
    throw new DeskhandError('NO_DESKTOP', `${program} ${args[0]} did not work; is this a session of GNOME?`, {
      next: 'Run this in the GNOME session that agents are to work in.',
      cause,
    })
  }
}

import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** What holds without a configuration file. */
export const DEFAULTS = {
  kind: 'virtual',
  toolsets: ['ui', 'script', 'python', 'desktop', 'op'],
  waitSeconds: 20,
} as const

/** What a desktop may be called. */
export const NAME = /^[\w.-]{1,40}$/

/** Where the configuration is looked for; the first file that is there counts, and one that is named must be there. */
export function configFiles(named: string | undefined, env: NodeJS.ProcessEnv): { required: boolean; files: string[] } {
  const one = named ?? env['DESKHAND_CONFIG']
  if (one !== undefined) return { required: true, files: [resolve(one)] }
  const home = env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config')
  return { required: false, files: [resolve('deskhand.toml'), join(home, 'deskhand', 'deskhand.toml')] }
}

export function stateDir(config: { state?: string }, env: NodeJS.ProcessEnv = process.env): string {
  return resolve(config.state ?? env['DESKHAND_STATE'] ?? join(env['XDG_STATE_HOME'] ?? join(homedir(), '.local', 'state'), 'deskhand'))
}

import { existsSync } from 'node:fs'
import type { DesktopKind } from '@deskhand/core/model'
import { configFiles, DEFAULTS, NAME, stateDir } from './defaults.ts'
import type { Toolset } from './tools/toolsets.ts'

/** What a client has to know to find a desktop and to offer its tools. */
export interface Settings {
  /** Where Deskhand keeps its own: sockets, tokens, journals. */
  state: string
  /** The desktop that is meant, where one is named. */
  name?: string
  kind: DesktopKind
  toolsets: readonly Toolset[]
  waitSeconds: number
}

/** Reads what a client needs. The schema takes longer to load than a call takes: only a file to check or a bad name loads it. */
export async function readSettings(options: { file?: string; name?: string } = {}): Promise<Settings> {
  const { env } = process
  const name = options.name ?? env['DESKHAND_NAME']
  const { required, files } = configFiles(options.file, env)
  const isPlain = !required && !files.some((file) => existsSync(file)) && (name === undefined || NAME.test(name))
  if (isPlain) return { ...DEFAULTS, state: stateDir({}), name }
  const { loadConfig } = await import('./config.ts')
  const config = loadConfig({ file: options.file, flags: { desktop: { name: options.name } } })
  const { desktop, toolsets, approvals } = config
  return { state: stateDir(config), name: desktop.name, kind: desktop.kind, toolsets, waitSeconds: approvals.waitSeconds }
}

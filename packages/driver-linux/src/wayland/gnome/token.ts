import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Env } from '../../display-server.ts'

/** A person's answer to the portal, where they let it hold for the next time; it is good for one use. */
export function keptToken(env: Env): string | undefined {
  try {
    return readFileSync(fileOf(env), 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}

export function keepToken(env: Env, token: string): void {
  const file = fileOf(env)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(file, `${token}\n`, { mode: 0o600 })
}

const fileOf = (env: Env): string => join(env['XDG_STATE_HOME'] ?? join(env['HOME'] ?? '', '.local', 'state'), 'deskhand', 'portal-token')

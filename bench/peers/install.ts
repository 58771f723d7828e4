import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { tokens } from '../../packages/core/src/session/see/tokens.ts'

const PEERS = { '@trycua/cua-driver': '0.28.2', 'computer-use-mcp': '1.8.0', 'gpt-tokenizer': '4.0.0' }

/** The peers from npm, in a cache folder of their own; nothing of them becomes ours, and none of their scripts runs. */
export function npmPeers(): string {
  const dir = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'deskhand-bench')
  if (Object.keys(PEERS).every((name) => existsSync(join(dir, 'node_modules', name, 'package.json')))) return dir
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ private: true, dependencies: PEERS }))
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const { status, stderr } = spawnSync('npm', args, { cwd: dir, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm could not install the peers: ${stderr.trim()}`)
  return dir
}

/** Counts tokens as a model's own tokenizer does; where that is not here, as our budgets do. */
export async function tokenizer(dir: string | undefined): Promise<(text: string) => number> {
  if (dir === undefined) return tokens
  const entry: string = createRequire(join(dir, 'package.json')).resolve('gpt-tokenizer')
  const { countTokens } = (await import(entry)) as { countTokens: (text: string) => number }
  return countTokens
}

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const PEERS = { '@trycua/cua-driver': '0.28.2', 'computer-use-mcp': '1.8.0' }

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

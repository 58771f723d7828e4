import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Packages from npm in a cache folder of their own: nothing of them becomes ours, and none of their scripts runs. */
export function npmFolder(name: string, dependencies: Record<string, string>): string {
  const dir = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), name)
  if (Object.keys(dependencies).every((each) => existsSync(join(dir, 'node_modules', each, 'package.json')))) return dir
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ private: true, dependencies }))
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const { status, stderr } = spawnSync('npm', args, { cwd: dir, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm could not install ${Object.keys(dependencies).join(', ')}: ${stderr.trim()}`)
  return dir
}

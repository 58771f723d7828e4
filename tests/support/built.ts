import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

const PACKAGES = resolve(import.meta.dirname, '../../packages')

/** Tests that start processes start what is built: says so where the sources are newer. `npm test` builds by itself. */
export function setup(): void {
  const old = readdirSync(PACKAGES).filter((name) => newestSource(join(PACKAGES, name, 'src')) > builtAt(name))
  if (old.length > 0) process.stderr.write(`\n The build of ${old.join(', ')} is older than its sources. Run: npx tsc -b\n`)
}

function newestSource(dir: string): number {
  const times = readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'))
    .map((file) => statSync(join(dir, file)).mtimeMs)
  return Math.max(0, ...times)
}

function builtAt(name: string): number {
  const info = join(PACKAGES, name, name === 'console' ? 'build' : 'dist', '.tsbuildinfo')
  return existsSync(info) ? statSync(info).mtimeMs : 0
}

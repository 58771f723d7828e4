import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')

/** Who may import whom. A layer is a folder of core or a whole package; what is not listed is forbidden. */
// oxfmt-ignore
const ALLOWED: Record<string, readonly string[]> = {
  'core/errors': [],
  'core/model': ['zod'],
  'core/selector': ['core/model', 'core/errors', 're2js'],
  'core/policy': ['core/model', 'core/errors', 'core/driver', 're2js', 'smol-toml', 'zod'],
  'core/journal': ['core/model', 'core/errors', 'core/driver', 're2js', 'zod'],
  'core/driver': ['core/model', 'core/errors', 'zod', 'vitest'],
  'core/session': ['core/model', 'core/errors', 'core/selector', 'core/policy', 'core/journal', 'core/driver', 'zod'],
  'driver-virtual': ['core/model', 'core/errors', 'core/driver', 'zod'],
  'driver-linux': ['core/model', 'core/errors', 'core/driver', 'x11', 'zod'],
  code: ['core/model', 'core/errors', 'core/driver', 'core/session', 'py-ast', 'pyodide', 'zod'],
  deskhand: [
    'core/model', 'core/errors', 'core/selector', 'core/policy', 'core/journal', 'core/driver', 'core/session', 'driver-virtual', 'driver-linux', 'code',
    '@modelcontextprotocol/server', 'commander', 'sharp', 'smol-toml', 'yaml', 'zod',
  ],
}

/** The model is what a browser reads too. */
const NO_NODE = ['core/model', 'core/errors', 'core/selector']

test('every import goes in the allowed direction', () => {
  const wrong: string[] = []
  for (const file of sources(join(root, 'packages'))) {
    const from = layerOf(file)
    const allowed = ALLOWED[from]
    if (allowed === undefined) {
      wrong.push(`${relative(root, file)}: the layer ${from} is not in the list`)
      continue
    }
    for (const name of importsOf(file)) {
      const to = target(file, name)
      if (to === from || (to === 'node' && !NO_NODE.includes(from)) || allowed.includes(to)) continue
      wrong.push(`${relative(root, file)} (${from}) imports ${name} (${to})`)
    }
  }
  expect(wrong).toEqual([])
})

test('only the session takes the acting half of a driver', () => {
  const users = [...sources(join(root, 'packages'))].filter((f) => /\.act\b/.test(readFileSync(f, 'utf8'))).map(layerOf)
  expect(new Set(users.filter((l) => l === 'code' || l === 'deskhand'))).toEqual(new Set())
})

function* sources(dir: string): Generator<string> {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name)
    if (entry.isDirectory() && !['node_modules', 'dist', 'fixtures'].includes(entry.name)) yield* sources(path)
    if (entry.isFile() && path.includes('/src/') && entry.name.endsWith('.ts') && !/\.(test|d)\.ts$/.test(entry.name)) yield path
  }
}

function layerOf(file: string): string {
  const [name = '', , part = ''] = relative(join(root, 'packages'), file).split('/')
  return name === 'core' ? `core/${part.replace(/\.ts$/, '')}` : name
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  const statement = /^(?:import|export)\b[^'";=]*?\bfrom\s*['"]([^'"]+)['"]|^import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm
  return [...text.matchAll(statement)].map((m) => m[1] ?? m[2] ?? m[3] ?? '')
}

function target(file: string, name: string): string {
  if (name.startsWith('node:')) return 'node'
  if (name.startsWith('.')) return layerOf(resolve(dirname(file), name))
  if (name.startsWith('@deskhand/core/')) return name.split('/').slice(1, 3).join('/')
  if (name.startsWith('@deskhand/')) return name.split('/')[1] ?? ''
  return name.startsWith('@') ? name.split('/').slice(0, 2).join('/') : (name.split('/')[0] ?? '')
}

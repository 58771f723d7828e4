import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { ALLOWED } from './allowed-imports.ts'

const root = resolve(import.meta.dirname, '../..')

/** The model is what a browser reads too. */
const NO_NODE = ['core/model', 'core/errors', 'core/selector', 'console']

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

/** The rooms of the session in the order of a call: a room imports only from those before it, and from the files at its foot. */
// oxfmt-ignore
const SESSION_ROOMS: Record<string, readonly string[]> = {
  foot: [],
  see: ['foot'],
  decide: ['foot', 'see'],
  record: ['foot', 'see', 'decide'],
  human: ['foot', 'see'],
  picture: ['foot', 'see', 'decide', 'record'],
  act: ['foot', 'see', 'decide', 'record', 'human'],
  verify: ['foot', 'see', 'decide', 'record', 'act'],
  path: ['foot', 'see', 'decide', 'record', 'human', 'picture', 'act', 'verify'],
}
/** What every room may know: calls, their clocks, ports, outcomes and words. */
const FOOT: ReadonlySet<string> = new Set(['call', 'counters', 'ports', 'named', 'outcome', 'words', 'parse-call'])

test('the rooms of the session follow the path of a call', () => {
  const base = join(root, 'packages/core/src/session')
  const roomOf = (file: string): string => {
    const [first = '', ...rest] = relative(base, file).replace(/\.ts$/, '').split('/')
    if (rest.length > 0) return first
    return FOOT.has(first) ? 'foot' : ['record', 'committed', 'allowance'].includes(first) ? 'record' : 'path'
  }
  const wrong: string[] = []
  for (const file of sources(base)) {
    for (const to of filesOf(file).filter((f) => f.startsWith(base))) {
      const [from, into] = [roomOf(file), roomOf(to)]
      if (from !== into && !SESSION_ROOMS[from]?.includes(into))
        wrong.push(`${relative(base, file)} (${from}) imports ${relative(base, to)} (${into})`)
    }
  }
  expect(wrong).toEqual([])
})

/** Where elements and the desktop, or values and the operations on them, know each other; nothing else may join them. */
const IN_CIRCLES = [
  'packages/code/src/pyautogui/interp/',
  'packages/code/src/pyautogui/syntax/',
  'packages/driver-virtual/src/',
  'packages/driver-linux/src/atspi/',
]

test('no file imports itself by way of others, types included', () => {
  const groups = [...cycles([...sources(join(root, 'packages'))])]
  const known = (group: readonly string[]): boolean => IN_CIRCLES.some((folder) => group.every((file) => file.startsWith(folder)))
  expect(groups.filter((group) => !known(group))).toEqual([])
  expect(groups.length).toBeLessThanOrEqual(5)
})

test('no source file is longer than 400 lines', () => {
  const long = [...sources(join(root, 'packages'))].filter((file) => readFileSync(file, 'utf8').split('\n').length > 401)
  expect(long.map((file) => relative(root, file))).toEqual([])
})

test('every driver has the same files for the same things', () => {
  const parts = ['act', 'caps', 'capture', 'desktop', 'driver', 'factory', 'guard', 'hit', 'index', 'observe', 'steps/semantic']
  const drivers = readdirSync(join(root, 'packages')).filter((name) => name.startsWith('driver-'))
  expect(drivers.length).toBeGreaterThan(2)
  const wanting = drivers
    .flatMap((name) => parts.map((part) => `packages/${name}/src/${part}.ts`))
    .filter((path) => !existsSync(join(root, path)))
  expect(wanting).toEqual([])
})

/** Interfaces that hold what a part needs, by name: those of the session that no class implements, but for values that are told or given. */
const session = [...sources(join(root, 'packages/core/src/session'))].map((file) => ({ file, text: readFileSync(file, 'utf8') }))
const bodies = new Map(
  session.flatMap(({ text }) =>
    [...text.matchAll(/interface (\w+)(?: extends \w+)? \{\n([\s\S]*?)\n\}/g)].map((m) => [m[1] ?? '', m[2] ?? '']),
  ),
)
const implemented = new Set(session.flatMap(({ text }) => [...text.matchAll(/class \w+ implements (\w+)/g)].map((m) => m[1] ?? '')))
const isBag = (name: string): boolean =>
  bodies.has(name) && !implemented.has(name) && /(?:Needs|Steps|Context|Options|Reactions|Queue)$/.test(name)

/** How many things come with a value of this type: a bag counts as what is in it, and so does a pick of several members. */
function countOf(type: string, within: readonly string[] = []): number {
  const inline = /^\{([\s\S]*)\}$/.exec(type)?.[1]
  if (inline !== undefined) return membersOf(inline).reduce((sum, member) => sum + countOf(member, within), 0)
  const picked = /^Pick<\w+, ([^>]*)>$/.exec(type)?.[1]
  if (picked !== undefined) return picked.split('|').length
  if (!isBag(type) || within.includes(type)) return 1
  return membersOf(bodies.get(type) ?? '').reduce((sum, member) => sum + countOf(member, [...within, type]), 0)
}

/** The types of the members of an interface, or of parameters; what is callable is one thing. */
function membersOf(body: string): string[] {
  const plain = body.replaceAll(/\/\*\*[\s\S]*?\*\//g, '')
  const members: string[] = []
  let depth = 0
  let from = 0
  for (const [i, char] of [...plain].entries()) {
    if ('({[<'.includes(char)) depth++
    if (')}]'.includes(char) || (char === '>' && plain[i - 1] !== '=')) depth--
    if (depth > 0 || !'\n;,'.includes(char)) continue
    members.push(plain.slice(from, i))
    from = i + 1
  }
  members.push(plain.slice(from))
  return members
    .map((member) => /^\s*(?:readonly )?\w+\??(\(|: )([\s\S]*)$/.exec(member.trimEnd()))
    .flatMap((m) => (m === null ? [] : [m[1] === '(' ? '() => unknown' : (m[2]?.trim() ?? '')]))
}

test('a step receives at most eight things, those in what it receives counted as well', () => {
  const greedy: string[] = []
  for (const { file, text } of session) {
    const name = relative(root, file)
    for (const [, bag = ''] of text.matchAll(/interface (\w+)/g)) {
      if (isBag(bag) && countOf(bag) > 8) greedy.push(`${name}: ${bag} has ${countOf(bag)}`)
    }
    for (const [, step = '', taken = ''] of text.matchAll(/class (\w+)[^{]*\{[\s\S]*?\n {2}(?:private )?constructor\(([\s\S]*?)\) \{\n/g)) {
      const all = countOf(`{${taken}}`)
      if (all > 8) greedy.push(`${name}: ${step} is made of ${all}`)
    }
  }
  expect(greedy).toEqual([])
  expect(countOf("{ tree: LiveTree; on: RevealNeeds; ports: Pick<Ports, 'secret' | 'end'>; call(call: Call): void }")).toBe(8)
})

test('only the session takes the acting half of a driver', () => {
  // Drivers as MCP servers are drivers themselves.
  const files = [...sources(join(root, 'packages'))].filter((f) => !f.includes('/deskhand/src/drivers/'))
  const users = files.filter((f) => /\.act\b/.test(readFileSync(f, 'utf8'))).map(layerOf)
  expect(new Set(users.filter((l) => l === 'code' || l === 'deskhand'))).toEqual(new Set())
})

function* sources(dir: string): Generator<string> {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name)
    if (entry.isDirectory() && !['node_modules', 'dist', 'build', 'fixtures'].includes(entry.name)) yield* sources(path)
    if (entry.isFile() && path.includes('/src/') && /\.tsx?$/.test(entry.name) && !/\.(test|d)\.ts$/.test(entry.name)) yield path
  }
}

/** The files of this repository that a file imports. */
const filesOf = (file: string): string[] => importsOf(file).flatMap((name) => (name.startsWith('.') ? [resolve(dirname(file), name)] : []))

/** Every group of files that import each other, by Tarjan's algorithm. */
function* cycles(files: readonly string[]): Generator<readonly string[]> {
  const at = new Map<string, { index: number; low: number; on: boolean }>()
  const stack: string[] = []
  const found: string[][] = []
  const visit = (file: string): { index: number; low: number; on: boolean } => {
    const node = { index: at.size, low: at.size, on: true }
    at.set(file, node)
    stack.push(file)
    for (const to of filesOf(file)) {
      const seen = at.get(to)
      if (seen === undefined && files.includes(to)) node.low = Math.min(node.low, visit(to).low)
      else if (seen?.on) node.low = Math.min(node.low, seen.index)
    }
    if (node.low === node.index) {
      const group = stack.splice(stack.indexOf(file))
      for (const one of group) at.get(one)!.on = false
      if (group.length > 1) found.push(group.map((f) => relative(root, f)))
    }
    return node
  }
  for (const file of files) if (!at.has(file)) visit(file)
  yield* found
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

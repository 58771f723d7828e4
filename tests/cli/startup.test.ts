import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { use, World } from '../support/cli.ts'

const QUERY = ['call', 'ui.query', '{"selector":"name=Amount"}']

let world: World
beforeEach(() => {
  world = new World()
})
afterEach(() => world.end())

test('help and a bad option load the parser of the command line and nothing else', async () => {
  for (const args of [['--help'], ['call', '--help'], ['call', '--nonsense']]) {
    const loaded = await loadedBy(() => world.run(args))
    expect(heavy(loaded)).toEqual([])
    expect(loaded.length).toBeLessThan(15)
  }
})

test('a client of a running desktop loads no driver, no policy, no Python and no schema', async () => {
  await world.up()
  for (const args of [QUERY, ['stop'], ['resume'], ['status'], ['tools']]) {
    const loaded = await loadedBy(() => world.run(args))
    expect(heavy(loaded)).toEqual([])
    expect(loaded.length).toBeLessThan(50)
  }
})

test('a configuration file adds the schema that checks it, and no more', async () => {
  await world.up()
  world.file('deskhand.toml', '[desktop]\nname = "virtual"\n')
  expect(heavy(await loadedBy(() => world.run(QUERY)))).toEqual(['zod'])
})

test('MCP for a running desktop loads what speaks MCP, and nothing that acts', async () => {
  await world.up()
  const loaded = await loadedBy(async () => {
    const client = await world.mcp()
    expect((await client.listTools()).tools.length).toBeGreaterThan(10)
    expect(await use(client, 'ui.query', { selector: 'name=Amount' })).toMatchObject({ isError: false })
    await client.close()
  })
  expect(heavy(loaded)).toEqual(['zod'])
})

test('without a desktop a call loads the simulated one, and neither Linux nor Python', async () => {
  expect(heavy(await loadedBy(() => world.run(QUERY)))).toEqual(['driver-virtual', 'session', 'policy', 'model', 'zod'])
})

/** The files that a command ran, told by V8 itself: what ran cannot be missing, however it was loaded. */
async function loadedBy(work: () => Promise<unknown>): Promise<string[]> {
  const dir = join(world.dir, 'coverage')
  rmSync(dir, { recursive: true, force: true })
  world.env['NODE_V8_COVERAGE'] = dir
  await work().finally(() => delete world.env['NODE_V8_COVERAGE'])
  const scripts = readdirSync(dir).flatMap((file) => {
    const report = JSON.parse(readFileSync(join(dir, file), 'utf8')) as { result: { url: string }[] }
    return report.result.map(({ url }) => url)
  })
  return scripts.filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url))
}

/** What takes long to load. Not counted: the schema of a principal, the few lines that end a result, the bounds of a time, and what is told of `python.run` and read of its arguments. */
const HEAVY = {
  'driver-linux': /\/driver-linux\//,
  'driver-windows': /\/driver-windows\//,
  'driver-virtual': /\/driver-virtual\//,
  code: /\/code\/dist\/(?!python\/(args|instructions)\.js)/,
  pyodide: /\/pyodide\//,
  yaml: /\/yaml\//,
  session: /\/core\/dist\/session\//,
  policy: /\/core\/dist\/policy\//,
  model: /\/core\/dist\/model\/(?!(?:principal|ending|python-timeout)\.js)/,
  zod: /\/zod\//,
}

const heavy = (files: readonly string[]): string[] =>
  Object.entries(HEAVY).flatMap(([part, place]) => (files.some((file) => place.test(file)) ? [part] : []))

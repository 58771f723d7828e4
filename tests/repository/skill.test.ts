import { execFileSync } from 'node:child_process'
import { lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { validate } from 'skills-ref'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { ERRORS } from '@deskhand/core/errors'
import { parse } from '@deskhand/core/selector'
import { tokens } from '../../packages/core/src/session/see/tokens.ts'
import { flagOf, placed, propertiesOf, VERBS } from '../../packages/deskhand/src/cli/verbs.ts'
import { listedTools } from '../../packages/deskhand/src/tools/listing.ts'
import { skillFiles } from '../../packages/deskhand/src/skill/skill.ts'
import { World } from '../support/cli.ts'
import { npmFolder } from '../support/npm-folder.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const json = (path: string): unknown => JSON.parse(read(path))
const own = z.object({ version: z.string(), mcpName: z.string(), files: z.array(z.string()) }).parse(json('packages/deskhand/package.json'))
const world = new World()
afterAll(() => world.end())

test('the skill is valid, of the version of the package, shipped with it, and found in the repository', async () => {
  expect(await validate(join(root, 'packages/deskhand/skills/deskhand'))).toEqual([])
  expect(skillFiles()[0]?.text).toContain(`version: "${own.version}"`)
  expect(own.files).toContain('skills')
  expect(lstatSync(join(root, 'skills')).isSymbolicLink()).toBe(true)
  expect(realpathSync(join(root, 'skills/deskhand/SKILL.md'))).toBe(join(root, 'packages/deskhand/skills/deskhand/SKILL.md'))
})

test('what the skill says is so: its commands, codes, selectors and links', async () => {
  const texts = skillFiles().map((file) => file.text)
  const all = texts.join('\n')
  const commands = new Set([...all.matchAll(/(?:^|`)deskhand ([a-z]+)/gm)].map(([, name = '']) => name))
  const { out } = await world.run(['--help'])
  const known = [...out.matchAll(/^ {2}([a-z]+)\b/gm)].map(([, name]) => name)
  expect([...commands].filter((name) => !known.includes(name))).toEqual([])
  for (const [code] of all.matchAll(/\b[A-Z]+_[A-Z_]+\b/g)) expect(Object.keys(ERRORS)).toContain(code)
  for (const [, selector = ''] of all.matchAll(/deskhand (?:find|wait) '((?!gone|window|text)[^']+)'/g)) parse(selector)
  for (const [, link = ''] of all.matchAll(/\]\((references\/[^)]+)\)/g)) expect(skillFiles().map((f) => f.path)).toContain(link)
  expect(VERBS.filter((verb) => known.includes(verb.name) && !all.includes(verb.name)).map((verb) => verb.name)).toEqual([])
  expect(all).toContain('Approvals are the person')
})

test('one read of it is enough: every option of every command is in it, and it stays short', () => {
  const [{ text } = { text: '' }] = skillFiles()
  const tools = new Map(listedTools().map((tool) => [tool.name, tool]))
  const flags = VERBS.flatMap((verb) => {
    const tool = tools.get(verb.tool)
    const taken = verb.places.map(placed)
    return tool === undefined ? [] : Object.keys(propertiesOf(tool)).flatMap((name) => (taken.includes(name) ? [] : [`--${flagOf(name)}`]))
  })
  expect([...new Set(flags)].filter((flag) => !text.includes(flag))).toEqual([])
  expect(text.split('\n').length).toBeLessThan(500)
  expect(tokens(text)).toBeLessThan(5_000)
})

test('it is printed, installed where it is told, only with consent, and removed', async () => {
  expect(await world.run(['skill'])).toMatchObject({ code: 0, out: skillFiles()[0]?.text })
  expect(await world.run(['skill', 'install', '--for', 'claude'])).toMatchObject({ code: 2, err: expect.stringContaining('--yes') })
  const wrote = await world.run(['skill', 'install', '--for', 'claude', '--yes'])
  expect(wrote).toMatchObject({ code: 0, out: expect.stringContaining('.claude/skills/deskhand/SKILL.md') })
  expect(await validate(join(world.dir, '.claude/skills/deskhand'))).toEqual([])
  expect((await world.run(['skill', 'install', '--for', 'claude', '--remove', '--yes'])).out).toContain('removed')
  expect(await world.run(['skill', 'install', '--for', 'nobody', '--yes'])).toMatchObject({ code: 2 })
})

// The last one that runs on the oldest Node that is supported.
test('the installer of skills finds it in a clone, and puts it where an agent looks for it', () => {
  const folder = npmFolder('deskhand-skills', { skills: '1.5.18' })
  const env = { PATH: process.env['PATH'] ?? '', HOME: world.dir, DISABLE_TELEMETRY: '1', DO_NOT_TRACK: '1' }
  const cli = join(folder, 'node_modules/skills/bin/cli.mjs')
  execFileSync(process.execPath, [cli, 'add', root, '--yes', '--agent', 'claude-code'], { env, cwd: world.dir, stdio: 'ignore' })
  for (const { path, text } of skillFiles()) expect(readFileSync(join(world.dir, '.claude/skills/deskhand', path), 'utf8')).toBe(text)
})

test('clients read it through MCP, as a skill and as a resource', async () => {
  await world.up()
  const client = await world.mcp()
  const listed = await client.request(
    { method: 'skills/list', params: {} },
    z.looseObject({
      skills: z.array(
        z.looseObject({ uri: z.string(), resources: z.array(z.object({ uri: z.string(), digest: z.string(), size: z.number() })) }),
      ),
    }),
  )
  expect(listed).toMatchObject({
    skills: [{ uri: 'skill://deskhand/SKILL.md', frontmatter: { name: 'deskhand' } }],
  })
  expect(listed.skills[0]?.resources.map((r) => r.digest)).toEqual(expect.arrayContaining([expect.stringMatching(/^sha256:[0-9a-f]{64}$/)]))
  const { contents } = await client.readResource({ uri: 'skill://deskhand/SKILL.md' })
  expect(contents).toMatchObject([{ text: skillFiles()[0]?.text }])
})

// What the schemas at the addresses in these files ask for, as of November 2026. Those of plugins are closed: a client refuses a file with another key.
const Text = z.string().min(1)
const Argument = z.looseObject({ type: z.enum(['positional', 'named']), value: Text })
const ServerJson = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  description: Text.max(100),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  packages: z
    .array(
      z.strictObject({
        registryType: z.literal('npm'),
        identifier: Text,
        version: z.string().regex(/^\d+\.\d+\.\d+$/),
        transport: z.strictObject({ type: z.literal('stdio') }),
        packageArguments: z.array(Argument),
      }),
    )
    .min(1),
})
const PLUGINS = 'https://agent-plugins.org/schemas/1.0.0'
const PluginJson = z.strictObject({
  $schema: z.literal(`${PLUGINS}/plugin.schema.json`),
  name: z
    .string()
    .max(64)
    .regex(/^(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/),
  version: z.string().optional(),
  description: z.string().optional(),
  author: z.strictObject({ name: Text.optional(), email: Text.optional(), url: Text.optional() }).optional(),
  homepage: z.string().optional(),
  repository: z.string().optional(),
  license: z.string().optional(),
  keywords: z.array(z.string()).optional(),
  extensions: z.record(z.string(), z.looseObject({})).optional(),
})
const McpJson = z.strictObject({
  $schema: z.literal(`${PLUGINS}/mcp.schema.json`),
  mcpServers: z.record(
    z.string(),
    z.strictObject({
      type: z.literal('stdio'),
      command: Text,
      args: z.array(z.string()),
      env: z.record(z.string(), z.string()).optional(),
    }),
  ),
})

test('the registry is told the package, its version and its name', () => {
  const server = ServerJson.parse(json('server.json'))
  expect(server).toMatchObject({ name: own.mcpName, version: own.version, packages: [{ identifier: 'deskhand', version: own.version }] })
})

test('the plugin names what it brings', () => {
  expect(PluginJson.parse(json('plugin.json'))).toMatchObject({ name: 'deskhand', version: own.version })
  expect(McpJson.parse(json('mcp.json')).mcpServers).toMatchObject({ deskhand: { command: 'npx', args: ['-y', 'deskhand', 'mcp'] } })
})

test('every page that llms.txt and AGENTS.md name is there, and llms.txt names every page', () => {
  const links = [...`${read('llms.txt')}\n${read('AGENTS.md')}`.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)
  for (const link of links) expect(read(link)).not.toBe('')
  const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'))
  expect(pages.filter((name) => !read('llms.txt').includes(`](docs/${name})`))).toEqual([])
  // Its form: a heading, a quoted summary, then lists of links under headings.
  expect(read('llms.txt')).toMatch(/^# .+\n\n> .+\n(?:\n## .+\n\n(?:- \[[^\]]+\]\([^)]+\): .+\n)+)+$/)
})

import { lstatSync, readFileSync, realpathSync } from 'node:fs'
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

const Name = z.string().regex(/^[a-z0-9.-]+\/[A-Za-z0-9._-]+$/)
const ServerJson = z.object({
  $schema: z.string().regex(/\/2025-12-11\/server\.schema\.json$/),
  name: Name,
  description: z.string().min(1).max(100),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  packages: z
    .array(
      z.looseObject({
        registryType: z.literal('npm'),
        identifier: z.string(),
        version: z.string().regex(/^\d+\.\d+\.\d+$/),
        transport: z.object({ type: z.enum(['stdio', 'streamable-http', 'sse']) }),
      }),
    )
    .min(1),
})

test('the registry is told the package, its version and its name', () => {
  const server = ServerJson.parse(json('server.json'))
  expect(server).toMatchObject({ name: own.mcpName, version: own.version, packages: [{ identifier: 'deskhand', version: own.version }] })
})

test('the plugin names what it brings', () => {
  const plugin = z
    .object({ $schema: z.string(), name: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/), version: z.string() })
    .parse(json('plugin.json'))
  expect(plugin.version).toBe(own.version)
  expect(json('mcp.json')).toMatchObject({ mcpServers: { deskhand: { type: 'stdio', command: 'npx' } } })
})

test('every page that llms.txt and AGENTS.md name is there, and llms.txt names every page', () => {
  const links = [...`${read('llms.txt')}\n${read('AGENTS.md')}`.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)
  for (const link of links) expect(read(link)).not.toBe('')
  expect(read('llms.txt')).toMatch(/^# .+\n\n> .+\n/)
})

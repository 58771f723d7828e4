import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BIN, use, World } from '../support/cli.ts'
import { element, window } from '../support/desk.ts'

/** What crossed between processes, held against the published files by a validator that shares no code with ours. */
const folder = resolve(import.meta.dirname, '../../packages/deskhand/schemas/1')
const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false })
for (const file of readdirSync(folder)) ajv.addSchema(JSON.parse(readFileSync(join(folder, file), 'utf8')) as object)

function fits(schema: string, value: unknown): void {
  const validate = ajv.getSchema(`urn:deskhand:schema:1:${schema}`)
  if (validate === undefined) throw new Error(`there is no schema ${schema}`)
  expect({ schema, value, problems: validate(value) ? [] : validate.errors }).toEqual({ schema, value, problems: [] })
}

let world: World
beforeEach(() => (world = new World()))
afterEach(() => world.end())

test('what an agent is answered over MCP, the questions that an operator lists, and the lines on the disk', async () => {
  const ui = [
    window('Form', [element('button', 'Save'), element('text_field', 'Name'), element('button', 'Pay'), element('button', 'Wipe')]),
  ]
  const rule = (decision: string, name: string): string =>
    `[[rule]]\ntoolName = "ui.click"\ndecision = "${decision}"\npriority = 900\nwhen = { name = "${name}" }\n`
  const { journal } = await world.serve({ windows: ui }, rule('ask_user', 'Pay') + rule('deny', 'Wipe'))
  const agent = await world.mcp()
  const snapshot = await use(agent, 'ui.snapshot', { scope: 'desktop', includeTree: true, includeTextIndex: true })
  expect(snapshot).toMatchObject({ isError: false })
  fits('snapshot', snapshot.record['data'])
  const answers = [snapshot]
  for (const [tool, args] of [
    ['ui.click', { target: 'name=Save' }],
    ['ui.type', { target: 'name=Name', text: 'Ünal' }],
    ['ui.click', { target: 'name=Wipe' }],
    ['ui.click', { target: 'name=Nowhere', timeoutMs: 0 }],
    ['ui.click', { target: 'name=((' }],
    ['ui.wait', { until: { text: { contains: 'nowhere' } }, timeoutMs: 0 }],
    ['ui.query', { selector: 'role=button' }],
  ] as const)
    answers.push(await use(agent, tool, args))
  const paying = use(agent, 'ui.click', { target: 'name=Pay' })
  let asked: { id: string }[] = []
  await expect
    .poll(async () => (asked = JSON.parse((await world.run(['approvals', 'list', '--json'])).out) as { id: string }[]), { timeout: 20_000 })
    .toHaveLength(1)
  fits('approval', asked[0])
  await world.run(['approvals', 'allow', asked[0]!.id])
  answers.push(await paying)
  for (const { record } of answers) fits('result', record)
  await world.stop()
  const lines = readdirSync(journal)
    .filter((file) => file.endsWith('.jsonl'))
    .flatMap((file) => readFileSync(join(journal, file), 'utf8').trimEnd().split('\n'))
    .map((line) => JSON.parse(line) as { type: string })
  for (const line of lines) fits('journal-entry', line)
  for (const type of ['checkpoint', 'operator', 'decided', 'answered', 'acting', 'done']) expect(lines.map((l) => l.type)).toContain(type)
}, 60_000)

test('what a driver answers over MCP, method by method', async () => {
  const ui = world.file('ui.json', JSON.stringify([window('Form', [element('checkbox', 'Paid'), element('text_field', 'Name')])]))
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [BIN, 'driver', 'virtual', '--mcp', '--ui', ui] }))
  try {
    const named = new Set<string>()
    const ask = async (method: string, args: Record<string, unknown> = {}): Promise<never> => {
      fits(`driver#/$defs/${method}.params`, args)
      const { structuredContent, isError } = await client.callTool({ name: `driver.${method}`, arguments: args })
      expect({ method, isError: isError ?? false }).toEqual({ method, isError: false })
      const { result } = structuredContent as { result: never }
      fits(`driver#/$defs/${method}.result`, result)
      named.add(`driver.${method}`)
      return result
    }
    await ask('info')
    await ask('screens')
    const { cursor, nodes } = (await ask('read', { scope: {} })) as { cursor: string; nodes: { key: string; role: string }[] }
    const box = nodes.find((node) => node.role === 'checkbox')!.key
    const field = nodes.find((node) => node.role === 'textbox')!.key
    const lease: string = await ask('take', { ttlMs: 30_000 })
    const step = (what: object, guard: object = {}): Promise<never> => ask('step', { lease, step: what, guard })
    await step({ do: 'press', key: box })
    expect(await step({ do: 'keys', events: [{ type: 'down', key: 'a' }] }, { focus: field })).toMatchObject({
      sent: 'none',
      broken: 'focus',
    })
    await step({ do: 'setText', key: field, text: 'Ünal', mode: 'replace' })
    await ask('changes', { since: cursor, waitMs: 0 })
    await ask('changes', { since: 'of another life', waitMs: 0 })
    await ask('check', { keys: [box, 'nothing'] })
    await ask('hit', { at: { x: 5, y: 5 } })
    const { id } = (await ask('capture', { area: {} })) as { id: string }
    await ask('render', { id, how: { hide: [], as: 'png' } })
    await ask('watch', { of: 'drawing', waitMs: 0 })
    await ask('readClipboard')
    await ask('pointer')
    await ask('canLaunch', { app: 'nothing' })
    await ask('drop', { lease })
    await ask('stop')
    const { tools } = await client.listTools()
    // A reply answers a request that only code on the desktop makes.
    expect(tools.map((tool) => tool.name).filter((name) => !named.has(name))).toEqual(['driver.reply'])
  } finally {
    await client.close()
  }
}, 60_000)

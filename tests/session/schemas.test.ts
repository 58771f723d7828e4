import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parse as parseToml } from 'smol-toml'
import { expect, test } from 'vitest'
import { within } from '@deskhand/core/driver'
import type { Result } from '@deskhand/core/model'
import { parse } from '@deskhand/core/selector'
import { openVirtual } from '@deskhand/driver-virtual'
import { toJson } from '../../packages/deskhand/src/http/body.ts'
import { desk, element, window } from '../support/desk.ts'
import { publishedSchemas } from '../support/schemas.ts'

const folder = resolve(import.meta.dirname, '../../packages/deskhand/schemas/1')
const presets = resolve(import.meta.dirname, '../../packages/core/presets')
const ui = [window('Form', [element('button', 'Save'), element('text_field', 'Name'), element('checkbox', 'Agree')])]

test.each([...publishedSchemas()])('the schema %s is published as it is now: vitest -u writes it anew', async (name, schema) => {
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(`${folder}/${name}.schema.json`)
})

/** What a validator that shares no code with ours says of a value, by the published file. */
const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false })
function problems(name: string, value: unknown, part = ''): unknown {
  const id = `urn:deskhand:schema:1:${name}`
  if (ajv.getSchema(id) === undefined) ajv.addSchema(JSON.parse(readFileSync(`${folder}/${name}.schema.json`, 'utf8')) as object)
  const validate = ajv.getSchema(`${id}${part}`)
  if (validate === undefined) throw new Error(`there is no schema ${id}${part}`)
  return validate(JSON.parse(toJson(value))) ? [] : validate.errors
}

test('what calls answer, looks, failures and pictures among them, fits the published schemas', async () => {
  const { call, journal, session } = await desk({ ui })
  const results: Result[] = []
  const said = async (tool: string, args: object = {}, options = {}): Promise<Result> => {
    const result = await call(tool, args, options)
    results.push(result)
    return result
  }
  const look = await said('ui.snapshot', { includeTree: true, scope: 'desktop' })
  expect(problems('snapshot', look.data)).toEqual([])
  const { data } = await said('ui.describe', { element: 'role=button' })
  expect(problems('element', data)).toEqual([])
  await said('ui.click', { target: 'role=button && name=Save' })
  await said('ui.type', { target: 'name=Name', text: 'Ünal', mode: 'replace' })
  await said('ui.set', { target: 'name=Agree', value: true })
  await said('ui.click', { target: 'name=Nowhere', timeoutMs: 0 })
  await said('ui.click', { target: 'name=' })
  await said('ui.nonsense')
  await said('input.capture')
  await said('ui.wait', { until: { text: 'nowhere' }, timeoutMs: 0 })
  const plan = await said('plan.rehearse', { actions: [{ tool: 'ui.click', args: { target: 'name=Save' } }] })
  expect(problems('plan', plan.data)).toEqual([])
  for (const result of results) expect({ result, problems: problems('result', result) }).toEqual({ result, problems: [] })
  const entries = await journal()
  expect(new Set(entries.map((e) => e.type))).toEqual(new Set(['decided', 'acting', 'done', 'rejected']))
  for (const entry of entries) expect({ entry, problems: problems('journal-entry', entry) }).toEqual({ entry, problems: [] })
  await session.close()
})

test('the journals of earlier versions fit the schema of a line', () => {
  const fixtures = resolve(import.meta.dirname, '../upgrade/fixtures')
  const lines = readdirSync(fixtures, { recursive: true, encoding: 'utf8' })
    .filter((f) => f.endsWith('.jsonl') && f.includes('journal'))
    .flatMap((f) =>
      // A crash leaves the last line without its end.
      readFileSync(resolve(fixtures, f), 'utf8').split('\n').slice(0, -1),
    )
  expect(lines.length).toBeGreaterThan(10)
  for (const line of lines) expect({ line, problems: problems('journal-entry', JSON.parse(line)) }).toEqual({ line, problems: [] })
})

test('what a driver answers fits the published contract', async () => {
  const driver = openVirtual({ ui })
  const ctx = within(5_000)
  const { observe, act } = driver
  const fits = (part: string, value: unknown): void => expect(problems('driver', value, `#/$defs/${part}`)).toEqual([])
  fits('DriverInfo', await observe.info(ctx))
  for (const screen of await observe.screens(ctx)) fits('Screen', screen)
  const tree = await observe.read({}, ctx)
  fits('TreePart', tree)
  const button = tree.nodes.find((n) => n.name === 'Agree')!
  const lease = await act.take(5_000, ctx)
  fits('Sent', await act.step(lease, { do: 'press', key: button.key }, {}, ctx))
  fits('Changes', await observe.changes(tree.cursor, 0, ctx))
  for (const node of await observe.check([button.key], ctx)) fits('FlatNode', node)
  fits('CaptureHandle', await observe.capture({}, ctx))
  fits('Activity', await observe.watch('drawing', undefined, 0, ctx))
  await act.drop(lease)
  await driver.close()
})

test('what selectors are taken apart into fits the published schema', () => {
  const selectors = [
    'role=button && name=Save',
    'text="Invoice Total" >> near(50) >> role=Edit ?? e12',
    'ocr:"Total" >> nth=-1',
    'role=row && has(name="Anna Müller") >> role=button || !enabled=false',
    'name~=/^save( as)?$/i && attr.group^="options" && checked!=mixed',
    'name~=/a/ && role~="item"',
  ]
  for (const text of selectors) expect({ text, problems: problems('selector', parse(text)) }).toEqual({ text, problems: [] })
  expect(
    problems('selector', { alternatives: [{ first: { prefix: 'any', expr: { type: 'role', op: '=', role: 'admin' } }, links: [] }] }),
  ).not.toEqual([])
})

test('every preset is a policy by the schema, and what is none is not', () => {
  for (const file of readdirSync(presets).filter((f) => f.endsWith('.toml')))
    expect({ file, problems: problems('policy', parseToml(readFileSync(`${presets}/${file}`, 'utf8'))) }).toEqual({ file, problems: [] })
  expect(problems('policy', { rule: [{ toolName: 'ui.click', decision: 'perhaps' }] })).not.toEqual([])
  expect(problems('result', { status: 'success' })).not.toEqual([])
  expect(problems('condition', { uiState: { target: 'e1', enabled: 'yes' } })).not.toEqual([])
  expect(problems('condition', { any: [{ text: 'a' }, { not: { window: { title: 'b' } } }] })).toEqual([])
})

import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { use, World } from '../support/cli.ts'

let world: World
beforeEach(() => {
  world = new World()
})
afterEach(() => world.end())

describe('deskhand call, without a broker', () => {
  test('answers on the simulated desktop of its own', async () => {
    const { code, out } = await world.run(['call', 'ui.query', '{"selector":"role=button"}'])
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ status: 'success', driver: { kind: 'virtual' } })
  })

  test('exit codes tell what happened', async () => {
    expect((await world.run(['call', 'ui.click', '{"target":"name=Nowhere","timeoutMs":0}'])).code).toBe(1)
    expect((await world.run(['call', 'ui.click', '{"where":"there"}'])).code).toBe(2)
    expect((await world.run(['call', 'ui.nonsense'])).code).toBe(2)
    expect((await world.run(['call', 'ui.click', 'not json'])).code).toBe(2)
    expect((await world.run(['--nonsense'])).code).toBe(2)
  })

  test('a stream of calls gets a line of JSON for each, in order, a bad one included', async () => {
    const lines = [
      '{"id":1,"tool":"ui.type","args":{"target":"name=Amount","text":"42"}}',
      'rubbish',
      '{"id":3,"tool":"ui.query","args":{"selector":"name=Amount"}}',
    ]
    const { out, code } = await world.run(['call', '--stdin'], `${lines.join('\n')}\n`)
    const answers = out
      .trim()
      .split('\n')
      .map((l) => JSON.parse(l) as Record<string, unknown>)
    expect(answers).toMatchObject([
      { id: 1, status: 'success' },
      { status: 'error', error: { code: 'BAD_ARGS' } },
      { id: 3, data: { matches: [{ value: '42' }] } },
    ])
    expect(code).toBe(2)
  })
})

test.each(['mcp', 'openai', 'anthropic'])('the tools are printed for %s', async (format) => {
  const { code, out } = await world.run(['tools', '--format', format])
  expect(code).toBe(0)
  expect((JSON.parse(out) as unknown[]).length).toBeGreaterThan(10)
})

test('the elements of the simulated desktop are a list over MCP too, and nothing hides in them', async () => {
  writeFileSync(`${world.dir}/ui.json`, JSON.stringify([{ element_id: 'ok', element_type: 'button', label_text: 'O\u202eK' }]))
  writeFileSync(`${world.dir}/deskhand.toml`, 'toolsets = ["avis"]\n[desktop]\nui = "ui.json"\n')
  const { text, record } = await use(await world.mcp(), 'avis.get_current_virtual_ui')
  expect(JSON.parse(text)).toMatchObject([{ element_id: 'ok', label_text: 'O\u202eK' }])
  expect(record).toMatchObject({ items: [{ element_id: 'ok' }], record: { status: 'success' } })
  expect(text).not.toContain('\u202e')
})

test('a tool that is not listed over MCP can be called by its name all the same, and a guess is set right', async () => {
  writeFileSync(`${world.dir}/deskhand.toml`, 'toolsets = ["ui"]\n')
  const client = await world.mcp()
  expect((await client.listTools()).tools.map((t) => t.name)).not.toContain('desktop.list')
  for (const name of ['desktop.list', 'desktop_list']) expect((await use(client, name)).record).toMatchObject({ status: 'success' })
  expect((await use(client, 'screenshot')).record).toMatchObject({ error: { code: 'UNKNOWN_TOOL', next: 'Did you mean gui_screenshot?' } })
})

test('what the simulated agent may do is read again from the configuration', async () => {
  const configure = (may: boolean): void => writeFileSync(`${world.dir}/deskhand.toml`, `[avis]\ncan_execute_code = ${may}\n`)
  const tried = async (...tools: string[]): Promise<unknown[]> => {
    const calls = tools.map((tool) =>
      JSON.stringify({ tool: `avis.${tool}`, args: tool.endsWith('command') ? { code_string: 'print(1)' } : {} }),
    )
    const { out } = await world.run(['call', '--stdin'], calls.join('\n'))
    return out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { data: unknown }).data)
  }
  configure(true)
  await world.up()
  expect(await tried('process_code_execution_command')).toMatchObject([{ execution_success: true, stdout: '1\n' }])
  configure(false)
  expect(await tried('refresh_simulation_status', 'process_code_execution_command')).toMatchObject([
    { current_ai_permissions: { can_execute_code: false } },
    { execution_success: false },
  ])
})

test('a user interface file is checked field by field, and cannot draw on the terminal', async () => {
  const check = async (text: string) => {
    writeFileSync(`${world.dir}/ui.json`, text)
    return world.run(['ui', 'check', 'ui.json'])
  }
  const button = (id: string, more = {}) => ({ element_id: id, element_type: 'button', ...more })
  expect(await check(JSON.stringify([button('a'), button('b')]))).toMatchObject({ code: 0, out: 'ui.json: fine, 1 window\n' })
  const wrong = await check(JSON.stringify([button('a', { is_enabled: 'yes' }), button('a'), button('\u001b[2J', { bounds: 1 })]))
  expect(wrong).toMatchObject({ code: 2, out: expect.stringContaining('ui.json: [0].is_enabled: ') })
  const broken = await check('\u001b[2J\u202e')
  expect(broken).toMatchObject({ code: 2, out: expect.stringMatching(/^ui\.json: Unexpected token/) })
  for (const { out, err } of [wrong, broken]) expect((out + err).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
})

test('a bad configuration names its field', async () => {
  writeFileSync(`${world.dir}/deskhand.toml`, '[desktop]\nkind = "moon"\n')
  const { code, err } = await world.run(['call', 'ui.snapshot'])
  expect(code).toBe(2)
  expect(err).toContain('desktop.kind')
})

test('doctor says what is there', async () => {
  const { code, out } = await world.run(['doctor'])
  expect(code).toBe(0)
  expect(out).toContain('virtual desktop')
})

test('a second broker for the same desktop is refused', async () => {
  await world.up()
  const second = await world.run(['up'])
  expect(second.code).toBe(1)
  expect(second.err).toContain('BROKER_BUSY')
})

test('stop holds every action until the operator resumes', async () => {
  await world.up()
  await world.run(['stop'])
  expect((await world.run(['call', 'ui.click', '{"target":"name=\\"Save invoice\\""}'])).code).toBe(5)
  expect((await world.run(['call', 'ui.snapshot'])).code).toBe(0)
  await world.run(['resume'])
  expect((await world.run(['call', 'ui.click', '{"target":"name=\\"Save invoice\\""}'])).code).toBe(0)
})

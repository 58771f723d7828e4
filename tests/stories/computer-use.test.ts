import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { JournalEntry } from '@deskhand/core/model'
import { World } from '../support/cli.ts'
import { describeDesktop } from '../support/desktop.ts'
import { answered, computerCall, EXAMPLES, functionCall, middle as middleOf, play as playOn, said, turn, uses } from '../support/loops.ts'

const ORDERS = join(EXAMPLES, 'desktop-tests/orders.ui.json')
const NEVER_SEND =
  '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 950\ndenyMessage = "Orders are sent by people."\nwhen = { name = "Send" }\n'

let world: World
beforeEach(() => (world = new World()))
afterEach(() => world.end())

const play = (example: string, turns: unknown[]): ReturnType<typeof playOn> => playOn(world, example, turns)
const middle = (selector: string): ReturnType<typeof middleOf> => middleOf(world, selector)

async function valueOf(selector: string): Promise<string | undefined> {
  const { out } = await world.run(['call', 'ui.query', JSON.stringify({ selector })])
  return (JSON.parse(out) as { data: { matches: [{ value?: string }] } }).data.matches[0].value
}

const orders = async (policy = ''): Promise<string> =>
  (await world.up('--ui', ORDERS, '--policy', world.file('policy.toml', policy))).ready.journal

async function entries(journal: string): Promise<JournalEntry[]> {
  await world.stop()
  const files = readdirSync(journal).filter((f) => f.endsWith('.jsonl'))
  return files.flatMap((f) =>
    readFileSync(join(journal, f), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as JournalEntry),
  )
}

const xy = ({ x, y }: { x: number; y: number }): number[] => [x, y]
const grid = ({ x, y }: { x: number; y: number }) => ({ x: (x / 1280) * 1000, y: (y / 800) * 1000 })

/** The button is enabled two simulated seconds after the check: a wait for it lets them pass. */
const checked = (): Promise<unknown> =>
  world.run(['call', 'ui.wait', JSON.stringify({ until: { uiState: { target: 'role=button && name=Send', enabled: true } } })])

test('Claude fills in, checks and sends an order by its toolset; each pixel is recorded as its element', async () => {
  const journal = await orders()
  const [customer, check, send] = await Promise.all([
    middle('name=Customer'),
    middle('role=button && name=Check'),
    middle('role=button && name=Send'),
  ])
  const first = await play('anthropic', [
    uses(['screenshot', {}]),
    uses(['left_click', { coordinate: xy(customer) }], ['type', { text: 'Ünal' }], ['cursor_position', {}]),
    uses(['left_click', { coordinate: xy(check) }], ['zoom', { region: [0, 0, 200, 100] }], ['left_click', { coordinate: [9_999, 5] }]),
    said('It is checked.'),
  ])
  expect(first).toMatchObject({ code: 0, out: 'It is checked.\n' })
  const results = first.requests.flatMap((r) => r.messages.at(-1).content).filter((c: { type: string }) => c.type === 'tool_result')
  const told = JSON.stringify(
    results.map((r: { content: unknown }) => r.content).filter((c: unknown) => !JSON.stringify(c).includes('base64')),
  )
  expect(told).toContain('outside of the picture')
  expect(told).toContain(`X=${customer.x},Y=${customer.y}`)
  expect(results.find((r: { tool_use_id: string }) => r.tool_use_id === 'tleft_click2')).toMatchObject({ is_error: true })
  await checked()
  const second = await play('anthropic', [
    uses(['mouse_move', { coordinate: xy(send) }], ['left_mouse_down', {}], ['left_mouse_up', {}]),
    said('It is sent.'),
  ])
  expect(second).toMatchObject({ code: 0, out: 'It is sent.\n' })
  expect(await valueOf('name=Status')).toBe('sent to Ünal')
  const touched = (await entries(journal)).flatMap((e) => (e.type === 'decided' && e.tool === 'ui.click_xy' ? [e.targets[0]?.name] : []))
  expect(touched).toEqual(['Customer', 'Check'])
})

test('what the policy forbids is told to each model in the words of its interface, and is not done', async () => {
  await orders(NEVER_SEND)
  const { x, y } = await middle('role=button && name=Send')
  const claude = await play('anthropic', [uses(['left_click', { coordinate: [x, y] }]), said('no')])
  expect(claude.requests[1].messages.at(-1).content[0]).toMatchObject({
    is_error: true,
    content: [{ text: expect.stringContaining('Orders are sent by people.') }],
  })
  const openai = await play('openai', [
    computerCall('c1', { type: 'click', button: 'left', x, y }, { type: 'type', text: 'never typed' }),
    answered('no'),
  ])
  expect(openai.requests[1].input).toMatchObject([
    {
      type: 'computer_call_output',
      call_id: 'c1',
      acknowledged_safety_checks: [],
      output: { image_url: expect.stringMatching(/^data:image\/png;base64,iVBOR/) },
    },
    { role: 'user', content: [{ text: expect.stringContaining('DENIED') }] },
  ])
  const gemini = await play('gemini', [
    turn(functionCall('click_at', grid({ x, y })), functionCall('navigate', { url: 'x' })),
    turn({ text: 'no' }),
  ])
  const parts = gemini.requests[1].contents.at(-1).parts
  expect(parts.map((p: { functionResponse: { response: { error: string } } }) => p.functionResponse.response.error)).toEqual([
    expect.stringContaining('Orders are sent by people.'),
    expect.stringContaining('NOT_CAPABLE'),
  ])
  expect(await valueOf('name=Status')).toBe('')
  expect(await valueOf('name=Customer')).not.toContain('never typed')
})

test('OpenAI and Gemini fill in and send an order', async () => {
  await orders()
  const [customer, check, send] = await Promise.all([
    middle('name=Customer'),
    middle('role=button && name=Check'),
    middle('role=button && name=Send'),
  ])
  const click = (at: object) => ({ type: 'click', button: 'left', ...at })
  const openai = await play('openai', [
    computerCall('a', { type: 'screenshot' }),
    computerCall(
      'b',
      click(customer),
      { type: 'type', text: 'Anna' },
      { type: 'keypress', keys: ['CTRL', 'A'] },
      { type: 'type', text: 'Boris' },
      click(check),
    ),
    answered('done'),
  ])
  expect(openai).toMatchObject({ code: 0, out: 'done\n' })
  expect(await valueOf('name=Customer')).toBe('Boris')
  await checked()
  const gemini = await play('gemini', [
    turn(functionCall('type_text_at', { ...grid(customer), text: 'Cleo', press_enter: false })),
    turn(functionCall('click_at', grid(send)), functionCall('click_at', { x: 1_001, y: 2 })),
    turn({ text: 'done' }),
  ])
  expect(gemini).toMatchObject({ code: 0, out: 'done\n' })
  expect(gemini.requests[2].contents.at(-1).parts[1].functionResponse.response.error).toContain('BAD_ARGS')
  expect(await valueOf('name=Status')).toBe('sent to Cleo')
})

/** Answers the first question that comes, as the operator would; gives what was asked. */
async function answer(verb: 'allow' | 'deny', ...more: string[]): Promise<string> {
  for (;;) {
    const { out } = await world.run(['approvals', 'list', '--json'])
    const [first] = JSON.parse(out) as { id: string }[]
    if (first === undefined) continue
    await world.run(['approvals', verb, first.id, ...more])
    return out
  }
}

test('a click by pixel that the policy asks about waits for a person, who is asked about the element', async () => {
  await orders('[[rule]]\ntoolName = "ui.click_xy"\ndecision = "ask_user"\npriority = 950\nwhen = { name = "Check" }\n')
  const { x, y } = await middle('role=button && name=Check')
  const turns = [uses(['left_click', { coordinate: [x, y] }]), said('done')]
  const [denied, question] = await Promise.all([play('anthropic', turns), answer('deny', '--reason', 'not today')])
  expect(question).toContain('"Check"')
  expect(denied.requests[1].messages.at(-1).content[0]).toMatchObject({
    is_error: true,
    content: [{ text: expect.stringContaining('not today') }],
  })
  const isEnabled = async (): Promise<boolean> =>
    (await world.run(['call', 'ui.query', JSON.stringify({ selector: 'role=button && name=Send && enabled=true' })])).out.includes('"Send"')
  await world.run(['call', 'ui.wait', JSON.stringify({ until: { text: { contains: 'nowhere' } }, timeoutMs: 5_000 })])
  expect(await isEnabled()).toBe(false)
  const [agreed] = await Promise.all([play('anthropic', turns), answer('allow')])
  expect(agreed.requests[1].messages.at(-1).content[0]).not.toMatchObject({ is_error: true })
  await checked()
  expect(await isEnabled()).toBe(true)
})

test('a safety check of the provider is acknowledged only after a person agreed, and what is invisible in it is spelled out', async () => {
  await orders()
  const checks = [{ id: 'sc1', code: 'malicious_instructions', message: 'pay\u202eyap 5 euros' }]
  const call = { type: 'computer_call', call_id: 'c1', pending_safety_checks: checks, actions: [{ type: 'wait' }] }
  const turns = [{ id: 'r1', output: [call] }, answered('done')]
  const [agreed, question] = await Promise.all([play('openai', turns), answer('allow', '--answer', 'Agree')])
  expect(question).toContain('pay\\\\u{202e}yap 5 euros')
  expect(agreed).toMatchObject({ code: 0, out: 'done\n' })
  expect(agreed.requests[1].input[0].acknowledged_safety_checks).toEqual(checks)

  const { x, y } = await middle('role=checkbox && name=Express')
  const acting = { ...call, actions: [{ type: 'click', button: 'left', x, y }] }
  for (const no of [() => answer('deny'), () => answer('allow', '--answer', 'Refuse')]) {
    const [refused] = await Promise.all([play('openai', [{ id: 'r1', output: [acting] }, answered('done')]), no()])
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('No person agreed to this') })
    expect(refused.requests).toHaveLength(1)
  }

  const safety = { decision: 'require_confirmation', explanation: 'Accept the terms?' }
  const asked = functionCall('click_at', { ...grid({ x, y }), safety_decision: safety })
  const [refused] = await Promise.all([play('gemini', [turn(asked), turn({ text: 'done' })]), answer('deny')])
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('No person agreed to this: Accept the terms?') })
  expect(refused.requests).toHaveLength(1)
  const isExpress = async (): Promise<string> => (await world.run(['call', 'ui.describe', '{"element":"name=Express"}'])).out
  expect(await isExpress()).toContain('"checked":false')
  const [gemini] = await Promise.all([play('gemini', [turn(asked), turn({ text: 'done' })]), answer('allow', '--answer', 'Agree')])
  expect(gemini).toMatchObject({ code: 0, out: 'done\n' })
  expect(gemini.requests[1].contents.at(-1).parts[0].functionResponse.response).toMatchObject({ safety_acknowledgement: 'true' })
  expect(await isExpress()).toContain('"checked":true')
})

test('a safety decision in other words is asked about as well, and a check that cannot be read ends the loop with a code', async () => {
  await orders()
  const { x, y } = await middle('role=checkbox && name=Express')
  const deciding = (safety_decision: unknown) => functionCall('click_at', { ...grid({ x, y }), safety_decision })
  const isChecked = async (): Promise<boolean> =>
    (await world.run(['call', 'ui.describe', '{"element":"name=Express"}'])).out.includes('"checked":true')
  const call = { type: 'computer_call', call_id: 'c1', actions: [{ type: 'click', button: 'left', x, y }] }
  for (const [loop, turns] of [
    ['gemini', [turn(deciding('yes')), turn({ text: 'done' })]],
    ['openai', [{ id: 'r1', output: [{ ...call, pending_safety_checks: 'none' }] }, answered('done')]],
  ] as const) {
    const { code, err } = await play(loop, [...turns])
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining("code: 'BAD_ARGS'") })
    expect(await isChecked()).toBe(false)
  }
  const [agreed, question] = await Promise.all([
    play('gemini', [turn(deciding({ decision: 'unclear' })), turn({ text: 'done' })]),
    answer('allow', '--answer', 'Agree'),
  ])
  expect(question).toContain('click_at (unclear)')
  expect(agreed).toMatchObject({ code: 0, out: 'done\n' })
  expect(await isChecked()).toBe(true)
})

test('a question that no person answers is a refusal once it has expired, and an answer that comes late still counts', async () => {
  const checks = [{ id: 'sc1', code: 'malicious_instructions', message: 'Pay?' }]
  const call = { type: 'computer_call', call_id: 'c1', pending_safety_checks: checks, actions: [{ type: 'wait' }] }
  const safety = { decision: 'require_confirmation', explanation: 'Pay?' }
  world.file('deskhand.toml', '[approvals]\nwaitSeconds = 0\nexpirySeconds = 1\n')
  await orders()
  const openai = await play('openai', [{ id: 'r1', output: [call] }, answered('done')])
  expect(openai).toMatchObject({ code: 1, err: expect.stringContaining('No person agreed to this: Pay?') })
  const gemini = await play('gemini', [turn(functionCall('click_at', { x: 1, y: 1, safety_decision: safety })), turn({ text: 'done' })])
  expect(gemini).toMatchObject({ code: 1, err: expect.stringContaining('No person agreed to this: Pay?') })
  expect([...openai.requests, ...gemini.requests]).toHaveLength(2)

  await world.stop()
  world.file('deskhand.toml', '[approvals]\nwaitSeconds = 0\n')
  await orders('[[rule]]\ntoolName = "ui.click_xy"\ndecision = "ask_user"\npriority = 950\nwhen = { name = "Express" }\n')
  const at = await middle('role=checkbox && name=Express')
  const acting = { ...call, pending_safety_checks: [], actions: [{ type: 'click', button: 'left', ...at }] }
  const [late] = await Promise.all([play('openai', [{ id: 'r1', output: [acting] }, answered('done')]), answer('allow')])
  expect(late.requests[1].input).toHaveLength(1)
  expect((await world.run(['call', 'ui.describe', '{"element":"name=Express"}'])).out).toContain('"checked":true')
})

test('a plain function-calling loop works by elements', async () => {
  world.file('deskhand.toml', '[approvals]\nwaitSeconds = 0\n')
  await orders('[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 950\nwhen = { name = "Express" }\n')
  const call = (name: string, args: object) => ({
    choices: [
      { message: { role: 'assistant', tool_calls: [{ id: name, type: 'function', function: { name, arguments: JSON.stringify(args) } }] } },
    ],
  })
  const ran = await play('function-calling', [
    call('ui_snapshot', {}),
    call('ui_set', { target: 'role=textbox && name=Customer', value: 'Dora' }),
    call('ui_click', { target: 'name=Nothing', timeoutMs: 10 }),
    call('ui_click', { target: 'name=Express' }),
    { choices: [{ message: { role: 'assistant', content: 'done' } }] },
  ])
  expect(ran).toMatchObject({ code: 0, out: 'done\n' })
  // What waits for a person can be asked for later: by a tool that is there, with an id that was told.
  expect(ran.requests[0].tools.map((tool: { function: { name: string } }) => tool.function.name)).toContain('op_wait')
  const told = ran.requests[4].messages.filter((m: { role: string }) => m.role === 'tool').map((m: { content: string }) => m.content)
  expect(told).toEqual([
    expect.stringMatching(/"Send" disabled/),
    expect.stringContaining('Dora'),
    expect.stringContaining('NOT_FOUND'),
    expect.stringMatching(/^APPROVAL_PENDING: .*\(operation op\w+\)\. .*op\.wait/),
  ])
  expect(await valueOf('name=Customer')).toBe('Dora')
})

describeDesktop('on a real desktop', () => {
  test('a picture larger than a model takes is shrunk, and its pixels still hit the text of an editor', async () => {
    const file = world.file('note.txt', '')
    world.file('deskhand.toml', '[desktop]\nwidth = 1920\nheight = 1080\n[policy]\nmode = "allow_actual_input_full"\n')
    await world.up('--desktop', 'sandbox')
    await world.run(['launch', 'mousepad', file])
    const text = await middle('role=textbox')
    const at = [Math.round((text.x * 1280) / 1920), Math.round((text.y * 1280) / 1920)]
    const ran = await play('anthropic', [
      uses(
        ['screenshot', {}],
        ['left_click', { coordinate: at }],
        ['type', { text: 'für Anna' }],
        ['key', { text: 'ctrl+s' }],
        ['wait', { duration: 0.5 }],
      ),
      said('done'),
    ])
    expect(ran).toMatchObject({ code: 0, out: 'done\n' })
    const [shot] = ran.requests[1].messages.at(-1).content
    const png = Buffer.from(shot.content.find((c: { type: string }) => c.type === 'image').source.data, 'base64')
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1280, 720])
    await expect.poll(() => readFileSync(file, 'utf8').trim(), { timeout: 30_000 }).toBe('für Anna')
  })
})

import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { JournalEntry, Rect } from '@deskhand/core/model'
import { World, type Finished } from '../support/cli.ts'
import { describeDesktop } from '../support/desktop.ts'
import { providerDouble, type ProviderDouble } from '../support/provider-double.ts'

const examples = resolve(import.meta.dirname, '../../examples')
const ORDERS = join(examples, 'desktop-tests/orders.ui.json')
const NEVER_SEND =
  '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 950\ndenyMessage = "Orders are sent by people."\nwhen = { name = "Send" }\n'

let world: World
let double: ProviderDouble | undefined
beforeEach(() => (world = new World()))
afterEach(async () => {
  await double?.close()
  await world.end()
})

/** Runs an example against answers that a provider gave once; what was asked of that provider is in `double`. */
async function play(example: string, answers: unknown[]): Promise<Finished> {
  double = await providerDouble(answers)
  const { url } = double
  const env = {
    ...world.env,
    ANTHROPIC_API_KEY: 'k',
    ANTHROPIC_BASE_URL: url,
    OPENAI_API_KEY: 'k',
    OPENAI_BASE_URL: url,
    GEMINI_BASE_URL: url,
  }
  const child = spawn(process.execPath, [join(examples, 'computer-use', `${example}.mjs`), 'Send the order'], { env })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (s: string) => (out += s))
  child.stderr.setEncoding('utf8').on('data', (s: string) => (err += s))
  return { code: await new Promise((done) => child.once('close', done)), out, err }
}

/** The middle of an element, in a picture of the whole screen. */
async function middle(selector: string): Promise<{ x: number; y: number }> {
  const { out } = await world.run(['call', 'ui.query', JSON.stringify({ selector })])
  const [{ bounds }] = (JSON.parse(out) as { data: { matches: [{ bounds: Rect }] } }).data.matches
  return { x: Math.round(bounds.x + bounds.w / 2), y: Math.round(bounds.y + bounds.h / 2) }
}

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

const said = (text: string) => ({
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'm',
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
  content: [{ type: 'text', text }],
})
const uses = (...calls: [name: string, input: object][]) => ({
  ...said(''),
  stop_reason: 'tool_use',
  content: calls.map(([name, input], i) => ({ type: 'tool_use', id: `t${name}${i}`, name, input, toolset_name: 'computer' })),
})
const xy = ({ x, y }: { x: number; y: number }): number[] => [x, y]

test('Claude fills in, checks and sends an order by its toolset; each pixel is recorded as its element', async () => {
  const journal = await orders()
  const [customer, check, send] = await Promise.all([
    middle('name=Customer'),
    middle('role=button && name=Check'),
    middle('role=button && name=Send'),
  ])
  const ran = await play('anthropic', [
    uses(['screenshot', {}]),
    uses(['left_click', { coordinate: xy(customer) }], ['type', { text: 'Ünal' }], ['cursor_position', {}]),
    uses(['left_click', { coordinate: xy(check) }], ['zoom', { region: [0, 0, 200, 100] }], ['left_click', { coordinate: [9_999, 5] }]),
    uses(
      ['mouse_move', { coordinate: xy(send) }],
      ['left_mouse_down', {}],
      ['left_mouse_up', {}],
      ['key', { text: 'ctrl+a' }],
      ['scroll', { coordinate: xy(send), scroll_direction: 'down', scroll_amount: 2 }],
    ),
    said('It is done.'),
  ])
  expect(ran).toMatchObject({ code: 0, out: 'It is done.\n' })
  const results = double!.requests.flatMap((r) => r.messages.at(-1).content).filter((c: { type: string }) => c.type === 'tool_result')
  const told = JSON.stringify(
    results.map((r: { content: unknown }) => r.content).filter((c: unknown) => !JSON.stringify(c).includes('base64')),
  )
  expect(told).toContain('outside of the picture')
  expect(told).toContain(`X=${customer.x},Y=${customer.y}`)
  expect(results.find((r: { tool_use_id: string }) => r.tool_use_id === 'tleft_click2')).toMatchObject({ is_error: true })
  expect(await valueOf('name=Customer')).toBe('Ünal')
  const touched = (await entries(journal)).flatMap((e) => (e.type === 'decided' && e.tool === 'ui.click_xy' ? [e.targets[0]?.name] : []))
  expect(touched).toEqual(['Customer', 'Check'])
})

test('what the policy forbids is told to each model in the words of its interface, and is not done', async () => {
  await orders(NEVER_SEND)
  const { x, y } = await middle('role=button && name=Send')
  const { width, height } = { width: 1280, height: 800 }
  await play('anthropic', [uses(['left_click', { coordinate: [x, y] }]), said('no')])
  expect(double!.requests[1].messages.at(-1).content[0]).toMatchObject({
    is_error: true,
    content: [{ text: expect.stringContaining('Orders are sent by people.') }],
  })
  await double!.close()
  const call = {
    type: 'computer_call',
    call_id: 'c1',
    pending_safety_checks: [],
    actions: [
      { type: 'click', button: 'left', x, y },
      { type: 'type', text: 'never typed' },
    ],
  }
  await play('openai', [
    { id: 'r1', output: [call] },
    { id: 'r2', output: [{ type: 'message', content: [{ type: 'output_text', text: 'no' }] }] },
  ])
  expect(double!.requests[1].input).toMatchObject([
    {
      type: 'computer_call_output',
      call_id: 'c1',
      acknowledged_safety_checks: [],
      output: { image_url: expect.stringMatching(/^data:image\/png;base64,iVBOR/) },
    },
    { role: 'user', content: [{ text: expect.stringContaining('DENIED') }] },
  ])
  await double!.close()
  const args = { x: (x / width) * 1000, y: (y / height) * 1000 }
  await play('gemini', [
    {
      candidates: [
        {
          content: {
            role: 'model',
            parts: [{ functionCall: { name: 'click_at', args } }, { functionCall: { name: 'navigate', args: { url: 'x' } } }],
          },
        },
      ],
    },
    { candidates: [{ content: { role: 'model', parts: [{ text: 'no' }] } }] },
  ])
  const parts = double!.requests[1].contents.at(-1).parts
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
  const call = (id: string, ...actions: object[]) => ({
    id,
    output: [{ type: 'computer_call', call_id: id, pending_safety_checks: [], actions }],
  })
  const done = { id: 'r9', output: [{ type: 'message', content: [{ type: 'output_text', text: 'done' }] }] }
  const openai = await play('openai', [
    call('a', { type: 'screenshot' }),
    call(
      'b',
      click(customer),
      { type: 'type', text: 'Anna' },
      { type: 'keypress', keys: ['CTRL', 'A'] },
      { type: 'type', text: 'Boris' },
      click(check),
    ),
    done,
  ])
  expect(openai).toMatchObject({ code: 0, out: 'done\n' })
  expect(await valueOf('name=Customer')).toBe('Boris')
  await double!.close()
  // The button is enabled two simulated seconds after the check: a wait for it lets them pass.
  await world.run(['call', 'ui.wait', JSON.stringify({ until: { uiState: { target: 'role=button && name=Send', enabled: true } } })])
  const grid = ({ x, y }: { x: number; y: number }) => ({ x: (x / 1280) * 1000, y: (y / 800) * 1000 })
  const turn = (...parts: object[]) => ({ candidates: [{ content: { role: 'model', parts } }] })
  const gemini = await play('gemini', [
    turn({ functionCall: { name: 'type_text_at', args: { ...grid(customer), text: 'Cleo', press_enter: false } } }),
    turn({ functionCall: { name: 'click_at', args: grid(send) } }, { functionCall: { name: 'click_at', args: { x: 1_001, y: 2 } } }),
    turn({ text: 'done' }),
  ])
  expect(gemini).toMatchObject({ code: 0, out: 'done\n' })
  expect(double!.requests[2].contents.at(-1).parts[1].functionResponse.response.error).toContain('BAD_ARGS')
  expect(await valueOf('name=Status')).toBe('sent to Cleo')
})

test('a safety check of the provider is acknowledged only after a person agreed, and what is invisible in it is spelled out', async () => {
  await orders()
  const checks = [{ id: 'sc1', code: 'malicious_instructions', message: 'pay\u202eyap 5 euros' }]
  const call = { type: 'computer_call', call_id: 'c1', pending_safety_checks: checks, actions: [{ type: 'wait' }] }
  const done = { id: 'r2', output: [{ type: 'message', content: [{ type: 'output_text', text: 'done' }] }] }
  const answered = async (verb: string, ...more: string[]): Promise<string> => {
    for (;;) {
      const { out } = await world.run(['approvals', 'list', '--json'])
      const [first] = JSON.parse(out) as { id: string; summary?: string }[]
      if (first !== undefined) {
        await world.run(['approvals', verb, first.id, ...more])
        return out
      }
    }
  }
  const [agreed, question] = await Promise.all([
    play('openai', [{ id: 'r1', output: [call] }, done]),
    answered('allow', '--answer', 'Agree'),
  ])
  expect(question).toContain('pay\\\\u{202e}yap 5 euros')
  expect(agreed).toMatchObject({ code: 0, out: 'done\n' })
  expect(double!.requests[1].input[0].acknowledged_safety_checks).toEqual(checks)
  await double!.close()
  const [refused] = await Promise.all([play('openai', [{ id: 'r1', output: [call] }, done]), answered('deny')])
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('No person agreed to this') })
  expect(double!.requests).toHaveLength(1)
  await double!.close()
  const safety = { decision: 'require_confirmation', explanation: 'Accept the terms?' }
  const turn = (...parts: object[]) => ({ candidates: [{ content: { role: 'model', parts } }] })
  const asked = { functionCall: { name: 'hover_at', args: { x: 1, y: 1, safety_decision: safety } } }
  const [gemini] = await Promise.all([play('gemini', [turn(asked), turn({ text: 'done' })]), answered('allow', '--answer', 'Agree')])
  expect(gemini).toMatchObject({ code: 0, out: 'done\n' })
  expect(double!.requests[1].contents.at(-1).parts[0].functionResponse.response).toMatchObject({ safety_acknowledgement: 'true' })
})

test('a plain function-calling loop works by elements', async () => {
  await orders()
  const call = (name: string, args: object) => ({
    choices: [
      { message: { role: 'assistant', tool_calls: [{ id: name, type: 'function', function: { name, arguments: JSON.stringify(args) } }] } },
    ],
  })
  const ran = await play('function-calling', [
    call('ui_snapshot', {}),
    call('ui_set', { target: 'role=textbox && name=Customer', value: 'Dora' }),
    call('ui_click', { target: 'name=Nothing', timeoutMs: 10 }),
    { choices: [{ message: { role: 'assistant', content: 'done' } }] },
  ])
  expect(ran).toMatchObject({ code: 0, out: 'done\n' })
  const told = double!.requests[3].messages.filter((m: { role: string }) => m.role === 'tool').map((m: { content: string }) => m.content)
  expect(told).toEqual([expect.stringMatching(/"Send" disabled/), expect.stringContaining('Dora'), expect.stringContaining('NOT_FOUND')])
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
    const [shot] = double!.requests[1].messages.at(-1).content
    const png = Buffer.from(shot.content.find((c: { type: string }) => c.type === 'image').source.data, 'base64')
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1280, 720])
    await expect.poll(() => readFileSync(file, 'utf8').trim(), { timeout: 30_000 }).toBe('für Anna')
  })
})

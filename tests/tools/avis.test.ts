import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createRedactor } from '@deskhand/core/redaction'
import type { Principal, Result } from '@deskhand/core/model'
import { createPolicy, loadPreset, parsePolicy } from '@deskhand/core/policy'
import type { Ports } from '@deskhand/core/session'
import { Avis } from '../../packages/deskhand/src/wiring/avis.ts'
import { open, type CallOptions } from 'deskhand'
import { dispatch } from '../../packages/deskhand/src/tools/dispatch.ts'
import { AGENT, desk, element, window } from '../support/desk.ts'

test('AVIS commands act through the session, and are recorded', async () => {
  const desk = await open()
  try {
    const typed = await desk.call('avis.type_string', { text: 'Jürgen', target_element_id: 'customer' })
    expect(typed.data).toMatchObject({ action_type: 'type_string', outcome: 'success' })
    const { data } = await desk.call('avis.get_current_virtual_ui')
    expect(JSON.stringify(data)).toContain('"element_id":"customer","element_type":"text_field","label_text":"Customer","value":"Jürgen"')
    expect((await desk.call('avis.click_element', { element_id: 'nobody' })).data).toMatchObject({
      outcome: expect.stringMatching(/error|failure|failed|not_found/),
    })
  } finally {
    await desk.close()
  }
})

test('the Run button runs the code in the editor and shows what came out', async () => {
  const desk = await open()
  try {
    await desk.call('ui.type', { target: 'window="Code" >> role=textbox && name="Code"', text: 'print(6 * 7)', mode: 'replace' })
    await desk.call('ui.click', { target: 'role=button && name="Run"' })
    const shown = await desk.call('ui.wait', { until: { uiState: { target: 'name="Output"', valueContains: '42' } }, timeoutMs: 30_000 })
    expect(shown.status).toBe('success')
    const log = async (): Promise<unknown> => (await desk.call('avis.get_action_log')).data
    const ran = { command_type: 'code', target_element_id: 'code_output_display', outcome: 'success' }
    expect(await log()).toMatchObject([ran])
    await desk.call('avis.click_element', { element_id: 'run_code_button' })
    await expect.poll(log, { timeout: 30_000 }).toMatchObject([ran, { action_type: 'click' }, ran])
  } finally {
    await desk.close()
  }
})

test('the displays of permissions and of a simulated machine are filled from the start', async () => {
  const desk = await open()
  try {
    const value = async (name: string): Promise<unknown> =>
      ((await desk.call('ui.query', { selector: `name="${name}"` })).data as { matches: { value?: string }[] }).matches[0]?.value
    expect(await value('Permissions')).toContain('can_execute_code: true')
    expect(await value('Simulated hardware')).toContain('source: simulated')
    expect((await desk.call('avis.get_simulation_state')).data).toMatchObject({
      current_sim_hardware_status: { available: true, details: { cpu_cores: 4 } },
    })
  } finally {
    await desk.close()
  }
})

test('a drag that moves nothing has no effect', async () => {
  const desk = await open()
  try {
    const drag = { source_element_id: 'run_code_button', target_window_relative_x: 0.5, target_window_relative_y: 0.9 }
    expect((await desk.call('avis.drag_element_to_position', drag)).data).toMatchObject({ outcome: 'no_effect' })
  } finally {
    await desk.close()
  }
})

test('code ends when its permitted time is over, and only files in permitted places are run', async () => {
  const avis = { max_execution_time_ms: 1_500, allowed_execution_paths: ['tests/fixtures'] }
  const desk = await open({ config: { avis, python: { project: process.cwd() } } })
  try {
    expect((await desk.call('avis.process_code_execution_command', { code_string: 'while True: pass' })).data).toMatchObject({
      script_exit_code: null,
      status_message: expect.stringContaining('PYTHON_TIMEOUT') as string,
    })
    expect(await desk.call('script.run', { script: 'while True: pass' })).toMatchObject({ status: 'error' })
    expect((await desk.call('avis.get_simulation_state')).data).toMatchObject({ current_ai_permissions: avis })
    const run = (file: string) => desk.call('python.run', { file })
    expect((await run('@project/packages/code/src/pyautogui/fixtures/reference.py')).data).toMatchObject({
      ok: false,
      error: { code: 'DENIED' },
    })
    expect((await run('@project/tests/fixtures/dump_atspi.py')).error?.code).not.toBe('DENIED')
  } finally {
    await desk.close()
  }
})

test('without the permission nothing is run, and the display says so', async () => {
  const desk = await open({ config: { avis: { can_execute_code: false } } })
  try {
    await desk.call('ui.click', { target: 'role=button && name="Run"' })
    const shown = await desk.call('ui.wait', {
      until: { uiState: { target: 'name="Output"', valueContains: 'can_execute_code' } },
      timeoutMs: 10_000,
    })
    expect(shown.status).toBe('success')
    expect((await desk.call('avis.process_code_execution_command', { code_string: 'print(1)' })).data).toMatchObject({
      execution_success: false,
    })
  } finally {
    await desk.close()
  }
})

const UI = {
  windows: [window('Shop', [element('button', 'Order')]), window('Bank', [element('text_field', 'Account', { is_focused: true })])],
}
const OTHER: Principal = { id: 'other', role: 'agent' }

const HIDDEN = '[[rule]]\ntoolName = "*"\nsubagent = "agent"\ndecision = "deny"\npriority = 900\nwhen = { app = "virtual:bank" }\n'

async function shared(policy = '', ports: Partial<Ports> = {}) {
  const rules = [loadPreset('sandbox'), parsePolicy(policy, 'test.toml', 'user')].flatMap((f) => f.rules)
  const { session, driver, journal } = await desk({ ui: UI, ports: { policy: () => createPolicy({ rules }), ...ports } })
  const avis = new Avis(driver, () => ({ can_execute_code: false, can_read_sim_hw_status: false, hardware: 'simulated' as const }))
  const call = (who: Principal, tool: string, args: unknown = {}, options: CallOptions = {}): Promise<Result> =>
    dispatch({ session, avis }, who, tool, args, options)
  return { call, driver, journal }
}

test('every agent reads its own log, and nobody else’s', async () => {
  const { call } = await shared()
  await call(AGENT, 'avis.click_element', { element_id: 'button_order' })
  await call(OTHER, 'avis.focus_element', { element_id: 'text_field_account' })
  expect((await call(AGENT, 'avis.get_action_log')).data).toMatchObject([{ action_type: 'click', target_element_id: 'button_order' }])
  expect((await call(OTHER, 'avis.get_action_log')).data).toMatchObject([{ action_type: 'focus_element' }])
})

test('focus and pointer on what is hidden are nowhere', async () => {
  const { call } = await shared(HIDDEN)
  await call(OTHER, 'avis.hover_element', { element_id: 'text_field_account' })
  await call(OTHER, 'avis.focus_element', { element_id: 'text_field_account' })
  expect((await call(OTHER, 'avis.get_simulation_state')).data).toMatchObject({ virtual_focused_element_id: 'text_field_account' })
  expect((await call(AGENT, 'avis.get_simulation_state')).data).toMatchObject({
    virtual_focused_element_id: null,
    virtual_hovered_element_id: null,
  })
  const tried = await call(AGENT, 'avis.click_element', { element_id: 'nobody' })
  expect(JSON.stringify([tried, await call(AGENT, 'avis.get_action_log')])).not.toContain('account')
})

test('whether something hidden is there, and where, cannot be found out by moving to it', async () => {
  const { call, driver } = await shared(HIDDEN)
  await call(OTHER, 'avis.focus_element', { element_id: 'text_field_account' })
  const before = driver.state().cursor
  for (const command of [
    { action_type: 'move_relative_to_element' },
    { action_type: 'move_relative_to_window' },
    { action_type: 'hover', relative_x: 0.5, relative_y: 0.5 },
    { action_type: 'click', relative_x: 0.5, relative_y: 0.5 },
    { action_type: 'drag_start' },
    { action_type: 'scroll', scroll_direction: 'down' },
  ]) {
    const [there, nowhere] = await Promise.all(
      ['text_field_account', 'text_field_nothing'].map((id) =>
        call(AGENT, 'avis.process_mouse_command', { ...command, target_element_id: id }),
      ),
    )
    expect(there?.error).toMatchObject({ code: 'NOT_FOUND' })
    expect(there?.error?.message.replace('account', 'nothing')).toBe(nowhere?.error?.message)
  }
  // The active window is the hidden one.
  const window = { action_type: 'move_relative_to_window', relative_x: 0, relative_y: 0 }
  expect((await call(AGENT, 'avis.process_mouse_command', window)).error).toMatchObject({ code: 'NOT_FOUND' })
  expect((await call(AGENT, 'avis.scroll_element', { direction: 'down' })).error).toMatchObject({ code: 'NOT_FOUND' })
  expect(driver.state().cursor).toEqual(before)
})

test('the elements come without secrets, and masked where a rule says so', async () => {
  const redactor = createRedactor({ secrets: [{ name: 'pin', value: 'canary-7741' }] })
  const redact = '[[rule]]\ntoolName = "*"\ndecision = "allow"\npriority = 900\nobligations = { redact = true }\n'
  const { call } = await shared(redact, { redactor, secret: async () => 'canary-7741' })
  await call(AGENT, 'ui.type', { target: 'name="Account"', secret: 'pin' })
  const shown = await call(AGENT, 'avis.get_current_virtual_ui')
  expect(JSON.stringify(shown)).toContain('[secret:pin]')
  await call(AGENT, 'ui.type', { target: 'name="Account"', text: 'anna@example.com', mode: 'replace' })
  const masked = await call(AGENT, 'avis.get_current_virtual_ui')
  expect(JSON.stringify(masked)).toContain('[email]')
  expect(JSON.stringify([shown, masked])).not.toMatch(/canary|anna@/)
})

test('a malformed command is answered with its fault and nothing else', async () => {
  const { call } = await shared()
  const result = await call(AGENT, 'avis.scroll_element', { direction: 'sideways' })
  expect(result).toMatchObject({
    status: 'error',
    sent: 'none',
    error: { code: 'BAD_ARGS', message: expect.stringMatching(/^direction: /) },
  })
  expect([result.data, result.text]).toEqual([undefined, undefined])
})

test('a rehearsal replaces no user interface, nor does a denied call', async () => {
  const { call, driver } = await shared('[[rule]]\ntoolName = "avis.load_virtual_ui"\ndecision = "deny"\npriority = 900\n')
  const before = JSON.stringify(driver.describe())
  const args = { elements: [element('button', 'Planted')] }
  expect((await call(AGENT, 'avis.load_virtual_ui', args, { dryRun: true })).error).toMatchObject({ code: 'BAD_ARGS' })
  expect((await call(AGENT, 'avis.load_virtual_ui', args)).error).toMatchObject({ code: 'DENIED' })
  expect(JSON.stringify(driver.describe())).toBe(before)
})

test('the record names the user interface that was loaded, by its hash', async () => {
  const { call, journal } = await shared('')
  const args = { elements: [window('Planted', [element('button', 'Planted')])] }
  expect(await call(AGENT, 'avis.load_virtual_ui', args)).toMatchObject({ status: 'success' })
  const contentHash = `sha256:${createHash('sha256').update(JSON.stringify(args)).digest('hex')}`
  expect((await journal()).filter((e) => e.type === 'decided' && e.tool === 'avis.load_virtual_ui')).toMatchObject([
    { args: { contentHash } },
  ])
})

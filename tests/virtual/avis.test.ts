import { expect, test } from 'vitest'
import type { CodeEngine } from '@deskhand/core/session'
import {
  AISimulationControlService,
  AIVirtualInputService,
  AVISActionLogEntry,
  AVIS_COMMANDS,
  machineResources,
  parseUiFile,
  simulatedResources,
  VirtualInputElementDescription,
  type AIPermissionSet,
  type AvisPort,
} from '@deskhand/driver-virtual'
import { AGENT, desk, type TestDesk } from '../support/desk.ts'
import { el, win } from './kit.ts'

const UI = [
  win(
    'main',
    'Main',
    [
      el('text_field', 'user', 'User', { bounds_relative: [0.05, 0.05, 0.4, 0.06] }),
      el('button', 'login_button', 'Log in', {
        bounds_relative: [0.05, 0.15, 0.2, 0.06],
        attributes: { on: { click: [{ do: 'increment', element: 'count', format: 'Clicks: {}' }] } },
      }),
      el('label', 'count', 'Clicks: 0', { value: 0, bounds_relative: [0.3, 0.15, 0.2, 0.06] }),
      el('checkbox', 'agree', 'Agree', { bounds_relative: [0.05, 0.25, 0.2, 0.06] }),
      el('button', 'off', 'Off', { is_enabled: false, bounds_relative: [0.3, 0.25, 0.2, 0.06] }),
      el('slider', 'volume', undefined, { value: 0, bounds_relative: [0.05, 0.35, 0.4, 0.06] }),
      el('list', 'long', undefined, {
        bounds_relative: [0.55, 0.05, 0.4, 0.3],
        attributes: { options: Array.from({ length: 30 }, (_, i) => `row ${i}`) },
      }),
      el('label', 'card', 'Card', { bounds_relative: [0.05, 0.45, 0.1, 0.06], attributes: { is_draggable: true } }),
      el('group', 'bin', 'Bin', {
        bounds_relative: [0.55, 0.4, 0.3, 0.15],
        attributes: { on: { drop: [{ do: 'set', element: 'count', label_text: 'Dropped' }] } },
      }),
      el('text_area', 'code_editor', 'Code', { bounds_relative: [0.05, 0.6, 0.4, 0.2] }),
      el('button', 'run_code_button', 'Run', { bounds_relative: [0.05, 0.82, 0.1, 0.06] }),
      el('text_area', 'code_output_display', 'Output', { bounds_relative: [0.5, 0.6, 0.2, 0.2] }),
      el('text_area', 'ai_permissions_display', 'Permissions', {
        bounds_relative: [0.72, 0.6, 0.26, 0.15],
      }),
      el('text_area', 'sim_hw_status_display', 'Hardware', { bounds_relative: [0.72, 0.8, 0.26, 0.15] }),
    ],
    { bounds_relative: [0, 0, 1, 1] },
  ),
]

interface World {
  avis: AIVirtualInputService
  on: TestDesk
  granted: AIPermissionSet
  calls: string[]
}

async function world(options: { policy?: string; code?: CodeEngine; machine?: boolean } = {}): Promise<World> {
  const on = await desk({ ui: UI, policy: options.policy, ports: { code: options.code } })
  const calls: string[] = []
  const port: AvisPort = {
    perform(kind, args) {
      calls.push(kind)
      return on.session.call({ tool: `avis.${kind}`, kind, args, principal: AGENT })
    },
  }
  const granted: AIPermissionSet = { can_execute_code: false, can_read_sim_hw_status: false }
  const control = new AISimulationControlService({
    port,
    permissions: () => ({ ...granted }),
    resources: options.machine ? machineResources() : simulatedResources({ cpu_cores: 2 }),
  })
  return { avis: new AIVirtualInputService({ port, desktop: on.driver, control }), on, granted, calls }
}

const labels = async ({ on }: World, id: string): Promise<unknown> =>
  (await on.driver.observe.check([on.driver.keyOf(id) ?? ''], { signal: new AbortController().signal, deadlineMs: 1000 }))[0]?.name

test('the user interface is described in the words of the specification, and what is described can be loaded', async () => {
  const { avis } = await world()
  const ui = await avis.get_current_virtual_ui()
  for (const element of ui) VirtualInputElementDescription.parse(element)
  expect(ui[0]?.children?.map((c) => c.element_id)).toContain('login_button')
  expect(ui[0]?.children?.find((c) => c.element_id === 'user')).toMatchObject({
    element_type: 'text_field',
    label_text: 'User',
    value: '',
    is_enabled: true,
    is_visible: true,
    is_focused: true,
    bounds_relative: [0.05, expect.closeTo(0.05, 2), 0.4, expect.closeTo(0.06, 2)],
  })
  expect(parseUiFile(JSON.parse(JSON.stringify(ui))).windows).toHaveLength(1)
})

test('elements are clicked, hovered, focused and typed into by their ids, and every command is logged', async () => {
  const w = await world()
  const { avis } = w
  expect(await avis.click_element({ element_id: 'login_button', click_type: 'left' })).toMatchObject({
    outcome: 'success',
    action_type: 'click',
    target_element_id: 'login_button',
    virtual_focused_element_id: 'login_button',
  })
  expect(await labels(w, 'count')).toBe('Clicks: 1')
  await avis.click_element({ element_id: 'login_button', click_type: 'double', relative_x: 0.1, relative_y: 0.9 })
  expect(await labels(w, 'count')).toBe('Clicks: 3')
  await avis.hover_element({ element_id: 'agree', relative_x: 0, relative_y: 0 })
  expect(avis.virtual_hovered_element_id).toBe('agree')
  expect(avis.virtual_cursor_position[0]).toBeCloseTo(0.05, 2)
  await avis.focus_element({ element_id: 'agree' })
  expect(avis.virtual_focused_element_id).toBe('agree')
  await avis.type_string({ text: 'Jürgen 漢字', target_element_id: 'user' })
  expect(avis.virtual_focused_element_id).toBe('user')
  await avis.press_keys({ keys: ['ctrl', 'a'] })
  await avis.special_key({ key_name: 'backspace' })
  await avis.type_string({ text: 'new' })
  const ui = await avis.get_current_virtual_ui()
  expect(ui[0]?.children?.find((c) => c.element_id === 'user')?.value).toBe('new')
  const log = avis.get_action_log()
  expect(log.map((e) => e.action_type)).toEqual([
    'click',
    'click',
    'hover',
    'focus_element',
    'type_string',
    'press_keys',
    'special_key',
    'type_string',
  ])
  for (const entry of log) expect(AVISActionLogEntry.parse(entry)).toEqual(entry)
  expect(log[4]?.parameters).toEqual({ text_to_type: { length: 9 } })
  expect(JSON.stringify(log)).not.toContain('Jürgen')
})

test('all seven mouse events and all three keyboard actions work as dictionaries', async () => {
  const w = await world()
  const { avis } = w
  const mouse = (command: object): Promise<AVISActionLogEntry> => avis.process_mouse_command(command)
  expect(await mouse({ action_type: 'move_relative_to_window', relative_x: 0.5, relative_y: 0.25 })).toMatchObject({
    outcome: 'success',
    virtual_cursor_position: [0.5, 0.25],
  })
  expect(await mouse({ action_type: 'move_relative_to_element', target_element_id: 'agree' })).toMatchObject({
    virtual_hovered_element_id: 'agree',
  })
  expect(await mouse({ action_type: 'click', click_type: null })).toMatchObject({ outcome: 'success', virtual_focused_element_id: 'agree' })
  expect(await mouse({ action_type: 'hover', target_element_id: 'user' })).toMatchObject({ virtual_hovered_element_id: 'user' })
  const visible = (): boolean => w.on.driver.boundsOf('long[29]') !== undefined
  expect(await mouse({ action_type: 'scroll', target_element_id: 'long', scroll_direction: 'down', scroll_pages: 50 })).toMatchObject({
    outcome: 'success',
  })
  expect(visible()).toBe(true)
  await avis.scroll_element({ element_id: 'long', direction: 'up', amount_ratio: 1 })
  expect(visible()).toBe(false)
  await mouse({ action_type: 'drag_start', target_element_id: 'volume', relative_x: 0, relative_y: 0.5 })
  expect(
    await mouse({ action_type: 'drag_end', drag_to_element_id: 'volume', drag_to_relative_x: 0.5, drag_to_relative_y: 0.5 }),
  ).toMatchObject({ outcome: 'success' })
  const volume = (await avis.get_current_virtual_ui())[0]?.children?.find((c) => c.element_id === 'volume')?.value
  expect(volume).toBe(50)
  const keyboard = (command: object): Promise<AVISActionLogEntry> => avis.process_keyboard_command(command)
  await keyboard({ action_type: 'type_string', text_to_type: 'a', target_element_id: 'user' })
  await keyboard({ action_type: 'press_keys', keys: ['shift', 'b'] })
  expect(await keyboard({ action_type: 'special_key', key_name: 'tab', target_element_id: null })).toMatchObject({
    virtual_focused_element_id: 'login_button',
  })
})

test('things are dragged onto others and to places', async () => {
  const w = await world()
  expect(await w.avis.drag_element_to_element({ source_element_id: 'card', target_element_id: 'bin' })).toMatchObject({
    outcome: 'success',
  })
  expect(await labels(w, 'count')).toBe('Dropped')
  await w.avis.drag_element_to_position({ source_element_id: 'card', target_window_relative_x: 0.3, target_window_relative_y: 0.9 })
  const { element } = w.on.driver.boundsOf('card') ?? {}
  expect((element?.x ?? 0) + (element?.w ?? 0) / 2).toBeCloseTo(0.3 * 1280, -1)
  await w.avis.process_mouse_command({ action_type: 'move_relative_to_window', relative_x: 0.5, relative_y: 0.5 })
  await w.avis.move_mouse_relative({ delta_x_ratio: 0.1, delta_y_ratio: -0.05 })
  expect(w.avis.virtual_cursor_position).toEqual([expect.closeTo(0.6, 5), expect.closeTo(0.45, 5)])
})

test('what cannot be done is told apart: no such element, disabled, denied', async () => {
  const w = await world({ policy: '[[rule]]\ntoolName = "avis.click"\ndecision = "deny"\npriority = 900\n[rule.when]\nname = "Agree"\n' })
  expect(await w.avis.click_element({ element_id: 'nobody' })).toMatchObject({ outcome: 'element_not_found', error_code: 'NOT_FOUND' })
  expect(await w.avis.click_element({ element_id: 'nobody', relative_x: 0.5 })).toMatchObject({ outcome: 'element_not_found' })
  expect(await w.avis.click_element({ element_id: 'off' })).toMatchObject({ outcome: 'not_actionable', error_code: 'NOT_ACTIONABLE' })
  expect(await w.avis.click_element({ element_id: 'agree' })).toMatchObject({ outcome: 'denied', error_code: 'DENIED' })
  expect((await w.on.journal()).filter((e) => e.type === 'decided').length).toBeGreaterThanOrEqual(2)
})

test('a malformed command is refused with the bad field, is not logged, and changes nothing', async () => {
  const w = await world()
  const before = w.on.driver.describe()
  for (const [name, args] of [
    ['click_element', {}],
    ['click_element', { element_id: 'agree', click_type: 'triple' }],
    ['hover_element', { element_id: 'agree', relative_x: 2 }],
    ['process_mouse_command', { action_type: 'fly' }],
    ['process_mouse_command', { action_type: 'drag_end' }],
    ['process_mouse_command', { action_type: 'scroll' }],
    ['process_keyboard_command', { action_type: 'special_key', key_name: 'anykey' }],
    ['press_keys', { keys: [] }],
    ['load_virtual_ui', { elements: [{ element_type: 'button' }] }],
    ['get_action_log', { limit: -1 }],
  ] as const) {
    await expect((async () => AVIS_COMMANDS[name]?.run(w.avis, args))(), `${name} ${JSON.stringify(args)}`).rejects.toMatchObject({
      code: expect.stringMatching(/BAD_ARGS|BAD_UI_FILE/) as string,
    })
  }
  expect(w.avis.get_action_log()).toEqual([])
  expect(w.on.driver.describe()).toEqual(before)
})

test('code runs only with the permission, and the outcome is shown', async () => {
  const ran: string[] = []
  const code: CodeEngine = {
    async run({ code: source }) {
      ran.push(source ?? '')
      return { data: { ok: true, stdout: '4\n', stderr: '', exitCode: 0 } }
    },
  }
  const w = await world({ code, policy: '[[rule]]\ntoolName = "avis.code"\ndecision = "allow"\npriority = 900\n' })
  const refused = await w.avis.process_code_execution_command('print(2 + 2)')
  expect(refused).toEqual({
    request_id: 'exec-1',
    execution_success: false,
    script_exit_code: null,
    stdout: '',
    stderr: '',
    status_message: 'DENIED: can_execute_code is false; nothing was run.',
  })
  expect(w.avis.get_action_log().at(-1)).toMatchObject({
    outcome: 'denied',
    command_type: 'code',
    parameters: { code_to_execute: { length: 12 } },
  })
  expect(ran).toEqual([])
  w.granted.can_execute_code = true
  expect((await w.avis.process_code_execution_command('print(2 + 2)')).execution_success).toBe(false)
  await w.avis.refresh_simulation_status()
  expect(await w.avis.process_code_execution_command({ code_string: 'print(2 + 2)' })).toMatchObject({
    execution_success: true,
    script_exit_code: 0,
    stdout: '4\n',
  })
  expect(ran).toEqual(['print(2 + 2)'])
  const shown = (await w.avis.get_current_virtual_ui())[0]?.children?.find((c) => c.element_id === 'code_output_display')?.value
  expect(shown).toBe('4\nExecuted.\nexit code 0')
})

test('without an engine, code is refused with its code, not attempted', async () => {
  const w = await world()
  w.granted.can_execute_code = true
  await w.avis.refresh_simulation_status()
  const result = await w.avis.process_code_execution_command('print()')
  expect(result).toMatchObject({ execution_success: false, script_exit_code: null })
  expect(result.status_message).toMatch(/^[A-Z_]+: /)
})

test('permissions and hardware are shown as far as they are allowed to be', async () => {
  const w = await world()
  const shown = async (id: string): Promise<unknown> =>
    (await w.avis.get_current_virtual_ui())[0]?.children?.find((c) => c.element_id === id)?.value
  expect(await w.avis.refresh_simulation_status()).toEqual({
    current_ai_permissions: { can_execute_code: false, can_read_sim_hw_status: false },
    current_sim_hardware_status: { available: true, details: null },
  })
  expect(await shown('ai_permissions_display')).toBe('can_execute_code: false\ncan_read_sim_hw_status: false')
  expect(await shown('sim_hw_status_display')).toBe('available: true')
  w.granted.can_read_sim_hw_status = true
  await w.avis.refresh_simulation_status()
  expect(w.avis.current_sim_hardware_status).toMatchObject({ available: true, details: { source: 'simulated', cpu_cores: 2 } })
  expect(await shown('sim_hw_status_display')).toContain('cpu_cores: 2')
})

test('the real machine can be the source, and a source that fails is not available', async () => {
  const w = await world({ machine: true })
  w.granted.can_read_sim_hw_status = true
  await w.avis.refresh_simulation_status()
  expect(w.avis.current_sim_hardware_status.details).toMatchObject({ source: 'machine', memory_total_mb: expect.any(Number) as number })
  const port: AvisPort = { perform: () => Promise.reject(new Error('unused')) }
  const broken = new AISimulationControlService({
    port,
    permissions: () => w.granted,
    resources: { read: () => Promise.reject(new Error('no')) },
  })
  expect(await broken.get_current_hardware_status()).toEqual({ available: false, details: null })
  expect(
    () => new AISimulationControlService({ port, permissions: () => ({ can_execute_code: 'yes' }), resources: simulatedResources() }),
  ).toThrow(expect.objectContaining({ code: 'BAD_CONFIG' }) as Error)
})

test('everything that acts goes through the session', async () => {
  const w = await world()
  await w.avis.click_element({ element_id: 'agree' })
  await w.avis.type_string({ text: 'x', target_element_id: 'user' })
  await w.avis.get_current_virtual_ui()
  expect(w.calls).toEqual(['click', 'focus', 'type', 'snapshot'])
  expect((await w.on.journal()).filter((e) => e.type === 'decided')).toHaveLength(4)
})

test('every command of the specification is in the list', () => {
  expect(Object.keys(AVIS_COMMANDS)).toEqual(
    expect.arrayContaining([
      'get_current_virtual_ui',
      'load_virtual_ui',
      'focus_element',
      'click_element',
      'hover_element',
      'drag_element_to_position',
      'drag_element_to_element',
      'scroll_element',
      'move_mouse_relative',
      'type_string',
      'press_keys',
      'special_key',
      'process_mouse_command',
      'process_keyboard_command',
      'process_code_execution_command',
      'refresh_simulation_status',
    ]),
  )
})

import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import { ElementNode, type Result } from '@deskhand/core/model'
import type { Execution } from '../desktop.ts'
import { formatExecution } from '../model/execution.ts'
import type { VirtualInputElementDescription } from '../model/ui-file.ts'
import { elementTarget, readArguments } from './arguments.ts'
import type { AISimulationControlService, SimHardwareStatus } from './control.ts'
import { processKeyboard } from './keyboard.ts'
import { ActionLog, cursorOf, endingOf, outcomeOf, type Attempt, type Ending } from './log.ts'
import { Mouse } from './mouse.ts'
import {
  clickArguments,
  dragPlaceArguments,
  dragOntoArguments,
  focusArguments,
  hoverArguments,
  moveArguments,
  scrollArguments,
  textArguments,
  pressArguments,
  specialArguments,
  codeArguments,
  loadArguments,
} from './parameters.ts'
import type { AvisDesktop, AvisPort } from './port.ts'
import {
  VirtualKeyboardCommand,
  VirtualMouseCommand,
  type AIPermissionSet,
  type AVISActionLogEntry,
  type ExecutionResult,
} from './types.ts'

export interface AvisOptions {
  port: AvisPort
  desktop: AvisDesktop
  control: AISimulationControlService
}

/** S2's AIVirtualInputService: the simulated desktop by element ids. All that it does goes through the governed session. */
export class AIVirtualInputService {
  readonly #port: AvisPort
  readonly #desktop: AvisDesktop
  readonly #control: AISimulationControlService
  readonly #mouse: Mouse
  readonly #log: ActionLog
  #hardware: SimHardwareStatus = { available: false, details: null }
  #requests = 0

  constructor({ port, desktop, control }: AvisOptions) {
    this.#port = port
    this.#desktop = desktop
    this.#control = control
    this.#mouse = new Mouse(port, desktop)
    this.#log = new ActionLog(desktop, 'simulation_only')
  }

  /** As parts of the screen, from its upper left corner. */
  get virtual_cursor_position(): [number, number] {
    return cursorOf(this.#desktop)
  }

  get virtual_focused_element_id(): string | null {
    return this.#desktop.state().focused ?? null
  }

  get virtual_hovered_element_id(): string | null {
    return this.#desktop.state().hovered ?? null
  }

  get current_ai_permissions(): AIPermissionSet {
    return this.#control.get_current_ai_permissions()
  }

  get current_sim_hardware_status(): SimHardwareStatus {
    return this.#hardware
  }

  get_action_log(limit?: number): AVISActionLogEntry[] {
    return this.#log.list(limit)
  }

  /** The elements that the session lets the agent see. */
  async get_current_virtual_ui(): Promise<VirtualInputElementDescription[]> {
    const result = await this.#port.perform('snapshot', { scope: 'desktop', includeTree: true, all: true })
    if (result.error) throw DeskhandError.revive(result.error)
    const { tree } = readArguments(z.object({ tree: ElementNode }), result.data)
    const seen = new Set<string>()
    collect(tree, seen)
    return pick(this.#desktop.describe(), seen)
  }

  async load_virtual_ui(args: unknown): Promise<AVISActionLogEntry> {
    const { elements } = readArguments(loadArguments, args)
    this.#desktop.load(elements)
    const entry = this.#end(
      { command_type: 'ui', action_type: 'load_virtual_ui', parameters: { elements: elements.length } },
      { outcome: 'success', outcome_message: 'loaded' },
    )
    await this.refresh_simulation_status()
    return entry
  }

  async focus_element(args: unknown): Promise<AVISActionLogEntry> {
    const { element_id } = readArguments(focusArguments, args)
    const result = await this.#port.perform('focus', { target: elementTarget(element_id), timeoutMs: 0 })
    return this.#end({ command_type: 'mouse', action_type: 'focus_element', target_element_id: element_id, parameters: {} }, result)
  }

  click_element(args: unknown): Promise<AVISActionLogEntry> {
    const { element_id, ...rest } = readArguments(clickArguments, args)
    return this.process_mouse_command({ action_type: 'click', target_element_id: element_id, ...rest })
  }

  hover_element(args: unknown): Promise<AVISActionLogEntry> {
    const { element_id, ...rest } = readArguments(hoverArguments, args)
    return this.process_mouse_command({ action_type: 'hover', target_element_id: element_id, ...rest })
  }

  async drag_element_to_position(args: unknown): Promise<AVISActionLogEntry> {
    const parameters = readArguments(dragPlaceArguments, args)
    const { source_element_id: id, target_window_relative_x: x, target_window_relative_y: y } = parameters
    const attempt: Attempt = { command_type: 'mouse', action_type: 'drag_element_to_position', target_element_id: id, parameters }
    return this.#end(attempt, await this.#mouse.drag(id, { x, y }))
  }

  async drag_element_to_element(args: unknown): Promise<AVISActionLogEntry> {
    const parameters = readArguments(dragOntoArguments, args)
    const { source_element_id: id, target_element_id } = parameters
    const attempt: Attempt = { command_type: 'mouse', action_type: 'drag_element_to_element', target_element_id: id, parameters }
    return this.#end(attempt, await this.#mouse.drag(id, { element: target_element_id }))
  }

  scroll_element(args: unknown): Promise<AVISActionLogEntry> {
    const { element_id, direction, amount_ratio, pages } = readArguments(scrollArguments, args)
    return this.process_mouse_command({
      action_type: 'scroll',
      target_element_id: element_id,
      scroll_direction: direction,
      scroll_amount_ratio: amount_ratio,
      scroll_pages: pages,
    })
  }

  /** By parts of the screen, from where the pointer is; it stays on the screen. */
  async move_mouse_relative(args: unknown): Promise<AVISActionLogEntry> {
    const parameters = readArguments(moveArguments, args)
    const { cursor, screen } = this.#desktop.state()
    const x = clamp(cursor.x + parameters.delta_x_ratio * screen.width, screen.width - 1)
    const y = clamp(cursor.y + parameters.delta_y_ratio * screen.height, screen.height - 1)
    return this.#end({ command_type: 'mouse', action_type: 'move_mouse_relative', parameters }, await this.#mouse.moveTo({ x, y }))
  }

  type_string(args: unknown): Promise<AVISActionLogEntry> {
    const { text, target_element_id } = readArguments(textArguments, args)
    return this.process_keyboard_command({ action_type: 'type_string', text_to_type: text, target_element_id })
  }

  press_keys(args: unknown): Promise<AVISActionLogEntry> {
    return this.process_keyboard_command({ action_type: 'press_keys', ...readArguments(pressArguments, args) })
  }

  special_key(args: unknown): Promise<AVISActionLogEntry> {
    return this.process_keyboard_command({ action_type: 'special_key', ...readArguments(specialArguments, args) })
  }

  async process_mouse_command(command: unknown): Promise<AVISActionLogEntry> {
    const { action_type, target_element_id, ...parameters } = readArguments(VirtualMouseCommand, command)
    const attempt: Attempt = { command_type: 'mouse', action_type, target_element_id, parameters }
    return this.#end(attempt, await this.#mouse.process({ action_type, target_element_id, ...parameters }))
  }

  async process_keyboard_command(command: unknown): Promise<AVISActionLogEntry> {
    const { action_type, target_element_id, ...parameters } = readArguments(VirtualKeyboardCommand, command)
    const attempt: Attempt = { command_type: 'keyboard', action_type, target_element_id, parameters }
    return this.#end(attempt, await processKeyboard(this.#port, { action_type, target_element_id, ...parameters }))
  }

  /** Runs code under the permissions of this moment and shows the outcome in `code_output_display`. */
  async process_code_execution_command(args: unknown): Promise<ExecutionResult> {
    const { code_string } = readArguments(codeArguments, typeof args === 'string' ? { code_string: args } : args)
    const request_id = `exec-${++this.#requests}`
    const result = await this.#control.execute_ai_code({
      request_id,
      code_to_execute: code_string,
      permissions_context: this.current_ai_permissions,
    })
    this.#desktop.set('code_output_display', formatExecution(result))
    this.log_execution({ code: code_string, into: 'code_output_display', result })
    return result
  }

  /** Logs code that was run, by a command or by the interface itself. */
  log_execution({ code, into, result }: Execution): AVISActionLogEntry {
    const { request_id, execution_success, status_message } = result
    const error_code = execution_success ? undefined : /^([A-Z_]+): /.exec(status_message)?.[1]
    const attempt: Attempt = {
      command_type: 'code',
      action_type: 'execute_code',
      target_element_id: into,
      parameters: { request_id, code_to_execute: code },
    }
    const outcome = execution_success ? 'success' : outcomeOf(error_code)
    return this.#end(attempt, { outcome, outcome_message: status_message, error_code })
  }

  /** Asks for permissions and hardware anew and shows them in `ai_permissions_display` and `sim_hw_status_display`. */
  async refresh_simulation_status(): Promise<{ current_ai_permissions: AIPermissionSet; current_sim_hardware_status: SimHardwareStatus }> {
    const permissions = this.#control.refresh_permissions()
    this.#hardware = await this.#control.get_current_hardware_status()
    this.#desktop.set('ai_permissions_display', lines(permissions))
    this.#desktop.set(
      'sim_hw_status_display',
      this.#hardware.details ? lines(this.#hardware.details) : `available: ${this.#hardware.available}`,
    )
    return { current_ai_permissions: permissions, current_sim_hardware_status: this.#hardware }
  }

  #end(attempt: Attempt, how: Result | Ending): AVISActionLogEntry {
    return this.#log.add(attempt, 'status' in how ? endingOf(how) : how)
  }
}

const lines = (fields: object): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join('\n')

const clamp = (n: number, max: number): number => Math.max(0, Math.min(n, max))

function collect(node: ElementNode, seen: Set<string>): void {
  if (node.platformIds?.virtualId !== undefined) seen.add(node.platformIds.virtualId)
  for (const child of node.children ?? []) collect(child, seen)
}

function pick(elements: VirtualInputElementDescription[], seen: Set<string>): VirtualInputElementDescription[] {
  return elements.filter((el) => seen.has(el.element_id)).map((el) => ({ ...el, children: pick(el.children ?? [], seen) }))
}

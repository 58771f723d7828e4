import { z } from 'zod'
import { Mode } from '@deskhand/core/model'
import { amountRatio, ClickType, elementId, pageCount, ratio, ScrollDirection } from './fields.ts'

/** The dictionaries of S2 §6, field for field. Python's Optional is left out or null. */

export { VirtualInputElementDescription } from '../model/ui-file.ts'
export { ExecutionResult } from '../model/execution.ts'

export const VirtualMouseEventType = z.enum([
  'move_relative_to_element',
  'move_relative_to_window',
  'click',
  'scroll',
  'drag_start',
  'drag_end',
  'hover',
])
export const VirtualKeyboardActionType = z.enum(['type_string', 'press_keys', 'special_key'])
export const VirtualInputPermissionLevel = Mode

export const VirtualMouseCommand = z.strictObject({
  action_type: VirtualMouseEventType,
  target_element_id: elementId.nullish(),
  relative_x: ratio.nullish(),
  relative_y: ratio.nullish(),
  click_type: ClickType.nullish(),
  scroll_direction: ScrollDirection.nullish(),
  scroll_amount_ratio: amountRatio.nullish(),
  scroll_pages: pageCount.nullish(),
  drag_to_element_id: elementId.nullish(),
  drag_to_relative_x: ratio.nullish(),
  drag_to_relative_y: ratio.nullish(),
})
export type VirtualMouseCommand = z.infer<typeof VirtualMouseCommand>

export const VirtualKeyboardCommand = z.strictObject({
  action_type: VirtualKeyboardActionType,
  target_element_id: elementId.nullish(),
  text_to_type: z.string().nullish(),
  keys: z.array(z.string().min(1)).min(1).nullish(),
  key_name: z.string().min(1).nullish(),
})
export type VirtualKeyboardCommand = z.infer<typeof VirtualKeyboardCommand>

export const AIPermissionSet = z.strictObject({
  can_execute_code: z.boolean(),
  can_read_sim_hw_status: z.boolean(),
  /** Folders or files of the project that may be run by name; all of it when left out. */
  allowed_execution_paths: z.array(z.string().min(1)).optional(),
  max_execution_time_ms: z.int().min(1).optional(),
})
export type AIPermissionSet = z.infer<typeof AIPermissionSet>

export const ExecutionRequest = z.strictObject({
  request_id: z.string(),
  code_to_execute: z.string(),
  permissions_context: AIPermissionSet,
})
export type ExecutionRequest = z.infer<typeof ExecutionRequest>

/** How a command ended. `pending`: a person has to allow it; ask for the operation in `op`. */
export const Outcome = z.enum(['success', 'no_effect', 'element_not_found', 'not_actionable', 'denied', 'pending', 'stopped', 'failed'])
export type Outcome = z.infer<typeof Outcome>

/** One line of the action log. S2 names the type, `outcome` and `outcome_message`; the other fields are ours. */
export const AVISActionLogEntry = z.object({
  /** `avis-1`, `avis-2`, … in the order in which commands ended. */
  entry_id: z.string(),
  /** The desktop's own time, in milliseconds since it was opened. */
  timestamp_ms: z.number(),
  command_type: z.enum(['mouse', 'keyboard', 'code', 'ui']),
  action_type: z.string(),
  target_element_id: z.string().nullable(),
  /** The command as it came; typed text and code only by their length. */
  parameters: z.record(z.string(), z.unknown()),
  permission_level: VirtualInputPermissionLevel,
  outcome: Outcome,
  outcome_message: z.string(),
  /** Deskhand's error code, when there was one. */
  error_code: z.string().nullable(),
  /** The operation in the session's record, where there is one. */
  op: z.string().nullable(),
  virtual_cursor_position: z.tuple([z.number(), z.number()]),
  virtual_focused_element_id: z.string().nullable(),
  virtual_hovered_element_id: z.string().nullable(),
})
export type AVISActionLogEntry = z.infer<typeof AVISActionLogEntry>

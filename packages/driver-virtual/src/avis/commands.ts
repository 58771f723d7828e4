import type { z } from 'zod'
import { readArguments } from './arguments.ts'
import {
  clickArguments,
  codeArguments,
  dragOntoArguments,
  dragPlaceArguments,
  focusArguments,
  hoverArguments,
  loadArguments,
  logArguments,
  moveArguments,
  noArguments,
  pressArguments,
  scrollArguments,
  specialArguments,
  textArguments,
} from './parameters.ts'
import type { AIVirtualInputService } from './service.ts'
import { VirtualKeyboardCommand, VirtualMouseCommand } from './types.ts'

export interface AvisCommand {
  description: string
  parameters: z.ZodType
  run(avis: AIVirtualInputService, args: unknown): Promise<unknown>
}

/** Every command of S2 §5 and §6, and S2 §8's readable state: what the `avis.*` tools are made from. */
export const AVIS_COMMANDS: Record<string, AvisCommand> = {
  get_current_virtual_ui: {
    description: 'The elements of the simulated desktop: ids, types, labels, values, states and relative bounds.',
    parameters: noArguments,
    run: (avis) => avis.get_current_virtual_ui(),
  },
  load_virtual_ui: {
    description: 'Replaces the simulated user interface by a list of elements.',
    parameters: loadArguments,
    run: (avis, args) => avis.load_virtual_ui(args),
  },
  focus_element: {
    description: 'Gives an element the input focus.',
    parameters: focusArguments,
    run: (avis, args) => avis.focus_element(args),
  },
  click_element: {
    description: 'Clicks an element: left, right or double; in its middle, or at a place given as parts of its size.',
    parameters: clickArguments,
    run: (avis, args) => avis.click_element(args),
  },
  hover_element: {
    description: 'Moves the pointer over an element.',
    parameters: hoverArguments,
    run: (avis, args) => avis.hover_element(args),
  },
  drag_element_to_position: {
    description: 'Drags an element to a place in its window, given as parts of the window.',
    parameters: dragPlaceArguments,
    run: (avis, args) => avis.drag_element_to_position(args),
  },
  drag_element_to_element: {
    description: 'Drags an element onto another one.',
    parameters: dragOntoArguments,
    run: (avis, args) => avis.drag_element_to_element(args),
  },
  scroll_element: {
    description: 'Scrolls an element, or the active window, by pages or by a part of what can be seen.',
    parameters: scrollArguments,
    run: (avis, args) => avis.scroll_element(args),
  },
  move_mouse_relative: {
    description: 'Moves the pointer by parts of the screen.',
    parameters: moveArguments,
    run: (avis, args) => avis.move_mouse_relative(args),
  },
  type_string: {
    description: 'Types text into an element or into what has the focus.',
    parameters: textArguments,
    run: (avis, args) => avis.type_string(args),
  },
  press_keys: {
    description: 'Presses keys together, as in ["ctrl", "s"].',
    parameters: pressArguments,
    run: (avis, args) => avis.press_keys(args),
  },
  special_key: {
    description: 'Presses one key: enter, tab, esc, f5, …',
    parameters: specialArguments,
    run: (avis, args) => avis.special_key(args),
  },
  process_mouse_command: {
    description: 'Carries out a VirtualMouseCommand.',
    parameters: VirtualMouseCommand,
    run: (avis, args) => avis.process_mouse_command(args),
  },
  process_keyboard_command: {
    description: 'Carries out a VirtualKeyboardCommand.',
    parameters: VirtualKeyboardCommand,
    run: (avis, args) => avis.process_keyboard_command(args),
  },
  process_code_execution_command: {
    description: 'Runs code, if the permissions allow it, and shows the outcome in code_output_display.',
    parameters: codeArguments,
    run: (avis, args) => avis.process_code_execution_command(args),
  },
  refresh_simulation_status: {
    description: 'Reads permissions and hardware status anew and shows them.',
    parameters: noArguments,
    run: (avis) => avis.refresh_simulation_status(),
  },
  get_action_log: {
    description: 'The last commands and how they ended.',
    parameters: logArguments,
    run: async (avis, args) => avis.get_action_log(readArguments(logArguments, args).limit),
  },
  get_simulation_state: {
    description: 'Pointer, focus, permissions and hardware status.',
    parameters: noArguments,
    run: async (avis) => ({
      virtual_cursor_position: avis.virtual_cursor_position,
      virtual_focused_element_id: avis.virtual_focused_element_id,
      virtual_hovered_element_id: avis.virtual_hovered_element_id,
      current_ai_permissions: avis.current_ai_permissions,
      current_sim_hardware_status: avis.current_sim_hardware_status,
    }),
  },
}

import { DeskhandError } from '@deskhand/core/errors'
import { keyProblem, toKey, type Result } from '@deskhand/core/model'
import { elementTarget, required } from './arguments.ts'
import type { AvisPort } from './port.ts'
import type { VirtualKeyboardCommand } from './types.ts'

/** Carries a keyboard command out. A target first gets the focus, as S2 has it. */
export async function processKeyboard(port: AvisPort, command: VirtualKeyboardCommand): Promise<Result> {
  const { target_element_id: id } = command
  const [kind, args] = actionOf(command)
  if (id) {
    const focused = await port.perform('focus', { target: elementTarget(id), timeoutMs: 0 })
    if (focused.status === 'error') return focused
  }
  return port.perform(kind, args)
}

function actionOf(command: VirtualKeyboardCommand): ['type' | 'key', Record<string, unknown>] {
  switch (command.action_type) {
    case 'type_string':
      return ['type', { text: required(command.text_to_type, 'text_to_type'), timeoutMs: 0 }]
    case 'press_keys':
      return ['key', { keys: required(command.keys, 'keys').map(keyName).join('+'), timeoutMs: 0 }]
    case 'special_key':
      return ['key', { keys: keyName(required(command.key_name, 'key_name')), timeoutMs: 0 }]
    default:
      return command.action_type satisfies never
  }
}

function keyName(word: string): string {
  const key = toKey(word)
  if (key === undefined) throw new DeskhandError('BAD_ARGS', keyProblem(word))
  return key === '+' ? 'plus' : key === ' ' ? 'space' : key
}

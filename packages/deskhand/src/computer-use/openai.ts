import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import { failureWords, modifiersOf, type Computer } from './computer.ts'
import { parsed } from './parsed.ts'

const place = { x: z.number(), y: z.number() }
const keys = z.array(z.string()).nullish()

/** The actions of OpenAI's `computer` tool. */
const Action = z.discriminatedUnion('type', [
  z.object({ type: z.literal('click'), button: z.enum(['left', 'right', 'wheel', 'back', 'forward']), ...place, keys }),
  z.object({ type: z.literal('double_click'), ...place, keys }),
  z.object({ type: z.literal('drag'), path: z.array(z.object(place)), keys }),
  z.object({ type: z.literal('keypress'), keys: z.array(z.string()).min(1) }),
  z.object({ type: z.literal('move'), ...place, keys }),
  z.object({ type: z.literal('screenshot') }),
  z.object({ type: z.literal('scroll'), ...place, scroll_x: z.number(), scroll_y: z.number(), keys }),
  z.object({ type: z.literal('type'), text: z.string() }),
  z.object({ type: z.literal('wait') }),
])
type Action = z.output<typeof Action>

const SafetyCheck = z.object({ id: z.string(), code: z.string().nullish(), message: z.string().nullish() })

/** A `computer_call` of a response, as far as it is used. */
const ComputerCall = z.object({
  type: z.literal('computer_call'),
  call_id: z.string(),
  actions: z.array(z.unknown()).optional(),
  action: z.unknown().optional(),
  pending_safety_checks: z.array(SafetyCheck).default([]),
})

/** Pixels of scrolling that one notch of a wheel stands for. */
const NOTCH_PX = 100
const WAIT_MS = 1_000

/** What goes into the `input` of the next request. */
export interface OpenAIAnswer {
  input: object[]
  /** A person did not agree to a safety check: nothing was done, and the loop has to end. */
  refused?: string
}

/**
 * Carries out a `computer_call` of OpenAI's Responses API, action by action up to the first failure, which the model is told in words
 * beside the picture. A safety check is acknowledged only after a person agreed to it.
 */
export async function answerOpenAI(computer: Computer, item: unknown): Promise<OpenAIAnswer> {
  const call = parsed(ComputerCall, item, 'the computer_call')
  const agreed: z.output<typeof SafetyCheck>[] = []
  for (const check of call.pending_safety_checks) {
    const words = check.message ?? check.code ?? check.id
    if (!(await computer.confirm(words))) return { input: [], refused: `No person agreed to this: ${words}` }
    agreed.push(check)
  }
  let failure: string | undefined
  for (const raw of call.actions ?? [call.action]) {
    try {
      await act(computer, parsed(Action, raw, 'this is no action of the computer tool'))
    } catch (thrown) {
      failure = failureWords(thrown)
      break
    }
  }
  const { data } = await computer.screenshot()
  const output = {
    type: 'computer_call_output',
    call_id: call.call_id,
    acknowledged_safety_checks: agreed,
    output: { type: 'computer_screenshot', image_url: `data:image/png;base64,${data}` },
  }
  if (failure === undefined) return { input: [output] }
  return { input: [output, { role: 'user', content: [{ type: 'input_text', text: `The last action was not done. ${failure}` }] }] }
}

async function act(computer: Computer, action: Action): Promise<void> {
  switch (action.type) {
    case 'click': {
      const { button } = action
      if (button === 'back' || button === 'forward') throw new DeskhandError('NOT_CAPABLE', `there is no button ${button} here`)
      await computer.click(action, { button: button === 'wheel' ? 'middle' : button, modifiers: modifiersOf(action.keys ?? []) })
      return
    }
    case 'double_click':
      await computer.click(action, { clickCount: 2, modifiers: modifiersOf(action.keys ?? []) })
      return
    case 'drag':
      await computer.drag(action.path, modifiersOf(action.keys ?? []))
      return
    case 'keypress':
      await computer.key(action.keys.map((k) => (k === '+' ? 'plus' : k)).join('+'))
      return
    case 'move':
      await computer.move(action, modifiersOf(action.keys ?? []))
      return
    case 'scroll':
      await computer.scroll(action, notches(action.scroll_x), notches(action.scroll_y), modifiersOf(action.keys ?? []))
      return
    case 'type':
      await computer.type(action.text)
      return
    case 'wait':
      await computer.wait(WAIT_MS)
      return
    case 'screenshot':
      return
    default:
      action satisfies never
  }
}

const notches = (px: number): number => (px === 0 ? 0 : Math.sign(px) * Math.max(1, Math.round(Math.abs(px) / NOTCH_PX)))

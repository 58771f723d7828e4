import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import { failureWords, inWords, type Computer } from './computer.ts'
import { parsed } from './parsed.ts'

/** Gemini's coordinates run from 0 to this, whatever the size of the picture. */
const GRID = 1_000
const at = { x: z.number().min(0).max(GRID), y: z.number().min(0).max(GRID) }
const direction = z.enum(['up', 'down', 'left', 'right'])

/** The actions of Gemini's computer use that a desktop can do, by the name of the function and its arguments. */
const ACTIONS = {
  click_at: z.object(at),
  hover_at: z.object(at),
  type_text_at: z.object({
    ...at,
    text: z.string(),
    press_enter: z.boolean().default(true),
    clear_before_typing: z.boolean().default(true),
  }),
  key_combination: z.object({ keys: z.string() }),
  scroll_document: z.object({ direction }),
  scroll_at: z.object({ ...at, direction, magnitude: z.number().min(0).max(GRID).default(800) }),
  drag_and_drop: z.object({ ...at, destination_x: at.x, destination_y: at.y }),
  wait_5_seconds: z.object({}),
}

/** The functions that are about a browser alone; leave them out of the request (`excludedPredefinedFunctions`). */
export const NOT_ON_A_DESKTOP = ['open_web_browser', 'go_back', 'go_forward', 'search', 'navigate'] as const

const FunctionCall = z.object({ id: z.string().optional(), name: z.string(), args: z.record(z.string(), z.unknown()).default({}) })
const SafetyDecision = z.object({ decision: z.string(), explanation: z.string().default('') })

const WAIT_MS = 5_000
/** Of the grid's height that one notch of a wheel stands for. */
const NOTCH = 100
const PAGE_NOTCHES = 8

export interface GeminiAnswer {
  /** What goes into the `parts` of the next turn; nothing where a person did not agree. */
  parts: object[]
  refused?: string
}

/** Carries out one function call of Gemini's computer use. A `safety_decision`, whatever it says, is acknowledged only after a person agreed to it. */
export async function answerGemini(computer: Computer, functionCall: unknown): Promise<GeminiAnswer> {
  const { id, name, args } = parsed(FunctionCall, functionCall, 'the function call')
  const { safety_decision: safety, ...own } = args
  const response: Record<string, unknown> = {}
  if (safety !== undefined) {
    const { explanation, decision } = parsed(SafetyDecision, safety, 'the safety_decision')
    const words = explanation || `${name} (${decision})`
    if (!(await computer.confirm(words))) return { parts: [], refused: `No person agreed to this: ${words}` }
    response['safety_acknowledgement'] = 'true'
  }
  try {
    response['output'] = await act(computer, name, own)
  } catch (thrown) {
    response['error'] = failureWords(thrown)
  }
  const { data, mediaType: mimeType } = await computer.screenshot()
  return { parts: [{ functionResponse: { id, name, response, parts: [{ inlineData: { mimeType, data } }] } }] }
}

async function act(computer: Computer, name: string, raw: Record<string, unknown>): Promise<string> {
  switch (name) {
    case 'click_at':
      return inWords(await computer.click(await pixel(computer, read(name, raw))))
    case 'hover_at':
      return inWords(await computer.move(await pixel(computer, read(name, raw))))
    case 'type_text_at': {
      const { text, press_enter, clear_before_typing, ...place } = read(name, raw)
      await computer.click(await pixel(computer, place))
      if (clear_before_typing) await computer.key('ctrl+a')
      const typed = await computer.type(text)
      return inWords(press_enter ? await computer.key('Enter') : typed)
    }
    case 'key_combination':
      return inWords(await computer.key(read(name, raw).keys))
    case 'scroll_document':
      return inWords(await computer.scroll(undefined, ...wheel(read(name, raw).direction, PAGE_NOTCHES)))
    case 'scroll_at': {
      const { direction: to, magnitude, ...place } = read(name, raw)
      return inWords(await computer.scroll(await pixel(computer, place), ...wheel(to, Math.max(1, Math.round(magnitude / NOTCH)))))
    }
    case 'drag_and_drop': {
      const { destination_x, destination_y, ...from } = read(name, raw)
      return inWords(await computer.drag([await pixel(computer, from), await pixel(computer, { x: destination_x, y: destination_y })]))
    }
    case 'wait_5_seconds':
      await computer.wait(WAIT_MS)
      return 'waited'
    default:
      throw new DeskhandError('NOT_CAPABLE', `there is no action ${JSON.stringify(name)} on a desktop`)
  }
}

function read<N extends keyof typeof ACTIONS>(name: N, raw: unknown): z.output<(typeof ACTIONS)[N]> {
  return parsed(ACTIONS[name], raw, name) as z.output<(typeof ACTIONS)[N]>
}

async function pixel(computer: Computer, { x, y }: { x: number; y: number }): Promise<{ x: number; y: number }> {
  const { width, height } = await computer.size()
  return { x: Math.min((x / GRID) * width, width - 1), y: Math.min((y / GRID) * height, height - 1) }
}

const wheel = (to: z.output<typeof direction>, notches: number): [dx: number, dy: number] =>
  ({ up: [0, -notches], down: [0, notches], left: [-notches, 0], right: [notches, 0] })[to] as [number, number]

import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import { Point, Screen, complaints, ending, toRole, type PointerEvent, type Principal, type Result } from '@deskhand/core/model'
import { quote } from '@deskhand/core/selector/quote'
import { refusal } from '../sdk/desk.ts'
import type { ComposedTool, Perform, Tool, ToolContext } from './tool.ts'
import { analyze } from './analyze.ts'
import { matchesOf, type Found } from './found.ts'
import { CONFIDENCE, locate, type Likeness } from './locate.ts'

const MOST_FOUND = 20
const px = z.number().int()
const side = px.min(1)

const FindArgs = z.strictObject({
  name: z.string().optional().describe('Element name to find'),
  role: z.string().optional().describe('Element role (button, textbox, etc.)'),
  partial: z.boolean().default(true),
})

/** Desktop control by pixels and names, in the shape agents of the PyAutoGUI kind expect. A pixel is judged as the element under it. */
export const guiTools: readonly Tool[] = [
  gui(
    'gui_screenshot',
    'Capture screenshot of the desktop. Use this to see the current state of the screen.',
    z.strictObject({
      region: z.strictObject({ x: px, y: px, width: side, height: side }).optional().describe('Optional region to capture'),
    }),
    true,
    async (act, { region }) => {
      const shot = await act('capture', { region: region && { x: region.x, y: region.y, w: region.width, h: region.height } })
      if (shot.error !== undefined) return failure(shot, { screenshot: null })
      const screen_size = region === undefined ? sizeOf(shot) : await screenSize(act)
      return answer(shot, { success: true, screenshot: base64(shot), screen_size, ...noteOf(shot) })
    },
  ),
  gui(
    'gui_click',
    'Click at screen coordinates. First use gui_screenshot to see the screen.',
    z.strictObject({
      x: px.describe('X coordinate'),
      y: px.describe('Y coordinate'),
      button: z.enum(['left', 'right', 'middle']).default('left'),
      clicks: z.number().int().min(1).max(3).default(1),
    }),
    false,
    async (act, { x, y, button, clicks }) =>
      withScreenshot(act, await act('click_xy', { x, y, button, clickCount: clicks }), `${button} click at (${x}, ${y})`),
  ),
  gui(
    'gui_type',
    'Type text at the current cursor position.',
    z.strictObject({ text: z.string().describe('Text to type') }),
    false,
    async (act, { text }) => {
      const typed = await act('type', { text })
      return typed.error === undefined ? answer(typed, { success: true, action: `Typed ${[...text].length} characters` }) : failure(typed)
    },
  ),
  gui(
    'gui_hotkey',
    'Press a keyboard shortcut (e.g., Ctrl+S, Alt+F4).',
    z.strictObject({ keys: z.array(z.string()).min(1).describe("Keys to press together (e.g., ['ctrl', 's'])") }),
    false,
    async (act, { keys }) =>
      withScreenshot(act, await act('key', { keys: keys.map((k) => (k === '+' ? 'plus' : k)).join('+') }), `Pressed ${keys.join('+')}`),
  ),
  gui('gui_find_element', 'Find UI element by name or role using accessibility tree.', FindArgs, true, async (act, args) => {
    const found = await find(act, args)
    if (found.error !== undefined) return failure(found)
    const elements = matchesOf(found).map(described)
    return answer(found, { success: true, elements, count: elements.length })
  }),
  gui(
    'gui_click_element',
    'Find and click a UI element by name or role.',
    z.strictObject({ name: z.string().optional().describe('Element name'), role: z.string().optional().describe('Element role') }),
    false,
    async (act, args) => {
      const found = await find(act, { ...args, partial: true })
      if (found.error !== undefined) return failure(found)
      const [one, ...others] = meant(matchesOf(found), args.name)
      const what = `name=${args.name ?? 'None'}, role=${args.role ?? 'None'}`
      if (one === undefined) return failure(refused(found, new DeskhandError('NOT_FOUND', `Element not found: ${what}`)))
      if (others.length > 0) {
        const candidates = [one, ...others].map(described)
        const several = new DeskhandError('AMBIGUOUS_TARGET', `${countOf(found)} elements match: ${what}`, { next: NARROWER })
        return failure(refused(found, several), { candidates })
      }
      return withScreenshot(act, await act('click', { target: one.elementId }), `left click on ${one.role} ${one.name ?? ''}`.trim())
    },
  ),
  gui(
    'gui_locate_on_screen',
    'Find where a picture lies on the screen. Pictures are PNG files in folders that the operator lends.',
    z.strictObject({
      image_path: z.string().min(1).describe('Name of the picture, e.g. save.png'),
      confidence: z.number().min(0.5).max(1).default(CONFIDENCE).describe('1 takes identical pixels only'),
      any_scale: z.boolean().optional().describe('it may be larger or smaller on the screen'),
      any_theme: z.boolean().optional().describe('what is light in it may be dark on the screen'),
    }),
    true,
    (act, { image_path, confidence, any_scale, any_theme }, { vision }) =>
      locateOnScreen(act, vision, image_path, { confidence, anyScale: any_scale, anyTheme: any_theme }),
  ),
  gui(
    'gui_analyze_screen',
    'Capture screenshot and analyze it: by a vision model where one is set up, else from the elements and text on the screen.',
    z.strictObject({ prompt: z.string().default('Describe what you see on screen') }),
    true,
    async (act, { prompt }, on, who) => {
      const { record, shot, analysis } = await analyze(act, on, prompt, who)
      const look = shot.error === undefined ? { screenshot: base64(shot) } : { screenshot: null, screenshot_reason: shot.error.message }
      if (analysis === undefined) return failure(record, { ...look, analysis: null })
      return { ...answer(record, { success: true, ...look, analysis }), images: shot.images }
    },
  ),
  gui(
    'gui_drag',
    'Drag from one position to another.',
    z.strictObject({ start_x: px, start_y: px, end_x: px, end_y: px }),
    false,
    async (act, { start_x, start_y, end_x, end_y }) =>
      withScreenshot(
        act,
        await act('drag', { from: { x: start_x, y: start_y }, to: { x: end_x, y: end_y } }),
        `Dragged from (${start_x}, ${start_y}) to (${end_x}, ${end_y})`,
      ),
  ),
  gui(
    'gui_scroll',
    'Scroll mouse wheel.',
    z.strictObject({
      clicks: z.number().int().min(-100).max(100).describe('Positive=up, negative=down'),
      x: px.optional(),
      y: px.optional(),
    }),
    false,
    async (act, { clicks, x, y }) => {
      const events: PointerEvent[] = [{ type: 'wheel', dx: 0, dy: -clicks }]
      if (x !== undefined || y !== undefined) {
        const place = x === undefined || y === undefined ? await act('screens', {}) : undefined
        if (place?.error !== undefined) return failure(place)
        const pointer = place === undefined ? undefined : Screens.parse(place.data).pointer
        events.unshift({ type: 'move', x: x ?? pointer?.x ?? 0, y: y ?? pointer?.y ?? 0 })
      }
      return withScreenshot(act, await act('pointer', { events }), `Scrolled ${clicks} clicks`)
    },
  ),
]

function gui<I extends z.ZodType>(
  name: string,
  description: string,
  input: I,
  readOnly: boolean,
  run: (act: Perform, args: z.output<I>, on: ToolContext, who: Principal) => Promise<Result>,
): ComposedTool {
  return {
    name,
    toolset: 'gui',
    description,
    input,
    readOnly,
    compose: async (act, args, on, who) => {
      try {
        return await run(act, parse(name, input, args), on, who)
      } catch (thrown) {
        return failure(on.session.redactor.value(refusal(DeskhandError.from(thrown))) as Result)
      }
    },
  }
}

/** What Python's agents leave out they send as null. */
function parse<I extends z.ZodType>(name: string, input: I, args: unknown): z.output<I> {
  const given = typeof args === 'object' && args !== null && !Array.isArray(args) ? args : undefined
  const told: unknown = given === undefined ? (args ?? {}) : Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
  const read = input.safeParse(told)
  if (read.success) return read.data
  const known = input instanceof z.ZodObject ? Object.keys(input.shape) : []
  throw new DeskhandError('BAD_ARGS', `${name}: ${complaints(read.error.issues, told, known).join('; ')}`)
}

/** The answer of an action that is followed by a look. A screenshot that the policy denies is null with the reason; the action still counts. */
async function withScreenshot(act: Perform, done: Result, action: string): Promise<Result> {
  if (done.error !== undefined) return failure(done)
  const shot = await act('capture', {})
  const look =
    shot.error === undefined ? { screenshot: base64(shot), ...noteOf(shot) } : { screenshot: null, screenshot_reason: shot.error.message }
  return { ...answer(done, { success: true, action, ...look }), images: shot.images }
}

/** Why parts of a picture are black, or all of it blank. */
const noteOf = ({ text }: Result): { screenshot_note?: string } => (text === undefined ? {} : { screenshot_note: text })

const answer = (record: Result, data: unknown): Result => ({ ...record, data, text: undefined })

const failure = (record: Result, more: Record<string, unknown> = {}): Result => ({
  ...record,
  data: { success: false, ...more, error: record.error?.message, code: record.error?.code, next: record.error?.next },
  text: undefined,
})

/** One place, or null where there is none; several are an error, as for elements. */
async function locateOnScreen(act: Perform, vision: ToolContext['vision'], image: string, like: Likeness): Promise<Result> {
  const { look, places } = await locate(act, vision, image, like)
  if (look.error !== undefined) return failure(look, { region: null })
  const [one, ...others] = places
  if (one === undefined) return answer(look, { success: true, region: null })
  if (others.length === 0) return answer(look, { success: true, region: one })
  const several = new DeskhandError('AMBIGUOUS_TARGET', `${places.length} places look like ${image}`, {
    next: 'Lend a larger part of the picture, or ask for a higher confidence.',
  })
  return failure(refused(look, several), { region: null, candidates: places })
}

const NARROWER = 'Give the whole name, or the role too.'

/** The record of a look, as the end of a call that comes to nothing. */
const refused = (found: Result, error: DeskhandError): Result =>
  ending({ ...found, status: 'error', effect: 'refused', error: error.toJSON() })

/** Of several matches those that can be seen, and of these those with the whole name, where there are any. */
function meant(found: Found[], name: string | undefined): Found[] {
  const visible = found.filter((f) => f.states?.visible !== false)
  const seen = visible.length > 0 ? visible : found
  const whole = seen.filter((f) => f.name?.toLowerCase() === name?.toLowerCase())
  return whole.length > 0 ? whole : seen
}

const base64 = (shot: Result): string | undefined => shot.images?.[0] && Buffer.from(shot.images[0].data).toString('base64')

/** A picture of everything tells how large everything is. */
function sizeOf({ images }: Result): { width: number; height: number } | undefined {
  const [image] = images ?? []
  return image && { width: image.width / image.scale, height: image.height / image.scale }
}

async function screenSize(act: Perform): Promise<{ width: number; height: number } | undefined> {
  const { data } = await act('screens', {})
  const screens = Screens.safeParse(data)
  const screen = screens.success ? (screens.data.screens.find((s) => s.primary) ?? screens.data.screens[0]) : undefined
  return screen && { width: screen.bounds.w, height: screen.bounds.h }
}
const Screens = z.object({ screens: z.array(Screen), pointer: Point })

/** Name and role together narrow each other; an empty one is none. */
async function find(act: Perform, { name, role, partial }: z.output<typeof FindArgs>): Promise<Result> {
  const parts: string[] = []
  if (role) {
    if (toRole(role) === undefined)
      throw new DeskhandError('BAD_ARGS', `there is no role ${JSON.stringify(role)}`, {
        next: 'Use a role such as button, textbox or checkbox.',
      })
    parts.push(`role=${toRole(role)}`)
  }
  if (name) parts.push(partial ? `name~=${quote(name)}` : exactly(name))
  if (parts.length === 0) throw new DeskhandError('BAD_ARGS', 'needs name or role')
  return act('query', { selector: parts.join(' && '), limit: MOST_FOUND })
}

/** The whole name, in any case. */
const exactly = (name: string): string =>
  /[\n\r\u2028\u2029]/.test(name) ? `name=${quote(name)}` : `name~=/^${name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)}$/i`

const countOf = (result: Result): number => (result.data as { count: number }).count

function described({ name = '', role, description = '', bounds, states = {} }: Found): unknown {
  const b = bounds ?? { x: 0, y: 0, w: 0, h: 0 }
  return {
    name,
    role,
    description,
    bounds: { x: b.x, y: b.y, width: b.w, height: b.h, center: [Math.floor(b.x + b.w / 2), Math.floor(b.y + b.h / 2)] },
    states: Object.entries(states).flatMap(([state, is]) => (is === true ? [state] : [])),
  }
}

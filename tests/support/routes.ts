import type { Point, Principal, Result } from '@deskhand/core/model'
import type { Session } from '@deskhand/core/session'
import { expect, test, vi } from 'vitest'
import { dispatch } from '../../packages/deskhand/src/tools/dispatch.ts'
import { placeIn } from './desk.ts'

/** May press and change everything. */
const FREE: Principal = { id: 'free', role: 'agent' }
/** May press and change nothing of what the window holds. */
const DENIED: Principal = { id: 'denied', role: 'agent' }

export const PRESSED = ['Archive', 'Send', 'Purge', 'Wipe', 'Blue'] as const
export const CHANGED = ['Amount', 'Level', 'Colour'] as const
type Control = (typeof PRESSED)[number] | (typeof CHANGED)[number]

const names = (list: readonly string[]): string => list.map((n) => `"${n}"`).join(', ')
/** Rules that deny one agent every press and every change in the window of routes. */
export const POLICY = `
[[rule]]
toolName = "ui.click"
subagent = "denied"
decision = "deny"
priority = 900
when = { name = [${names(PRESSED)}] }

[[rule]]
toolName = "ui.type"
subagent = "denied"
decision = "deny"
priority = 900
when = { name = [${names(CHANGED)}] }
`

/** Keys as the X server calls them, or turns of the wheel over the middle of what a selector finds. */
type Hand = { keys: readonly string[] } | { notches: number; over: string }
/** Keys, or turns of the wheel at a place. */
export type HandInput = { keys: readonly string[] } | { notches: number; at: Point }

type Call = (tool: string, args?: unknown) => Promise<Result>
interface Route {
  control: Control
  by: string
  /** Where the focus is before. */
  from?: string
  /** The same input, for a hand that knows nothing of Deskhand. */
  hand?: Hand
  /** A verb of ours that finds its own way, and no input that a hand could send. */
  isVerb?: boolean
  go(call: Call, at: (name: string) => Promise<Point>): Promise<unknown>
}

const key = (control: Control, from: string | undefined, keys: string | string[]): Route => ({
  control,
  by: `ui.key ${[keys].flat().join(', ')}${from === undefined ? '' : ` from ${from}`}`,
  from,
  hand: { keys: [keys].flat().map(inX) },
  go: (call) => call('ui.key', { keys }),
})
const inX = (chord: string): string => chord.replace('Enter', 'Return').replace('Arrow', '').replace('PageUp', 'Prior')
const wheel = (control: Control, target: string, deltaY: number, from?: string): Route => ({
  control,
  by: 'a wheel',
  from,
  hand: { notches: deltaY, over: target },
  go: (call) => call('ui.scroll', { target, deltaY }),
})
const script = (control: Control, from: string | undefined, text: string): Route => ({
  control,
  by: `the script ${text}`,
  from,
  go: (call) => call('script.run', { script: text }),
})

/** Every way by which an event can press a control or change a value, beside naming it. */
export const ROUTES: readonly Route[] = [
  { control: 'Archive', by: 'ui.click', go: (call) => call('ui.click', { target: 'role=button && name="Archive"' }) },
  { control: 'Archive', by: 'a double click', go: (call) => call('ui.click', { target: 'role=button && name="Archive"', clickCount: 2 }) },
  { control: 'Archive', by: 'ui.click on what lies around it', go: (call) => call('ui.click', { target: 'name="Panel"' }) },
  {
    control: 'Archive',
    by: 'a step of ui.batch',
    go: (call) => call('ui.batch', { steps: [{ tool: 'ui.click', args: { target: 'role=button && name="Archive"' } }] }),
  },
  {
    control: 'Archive',
    by: 'the second of two names',
    go: (call) => call('ui.click', { target: 'role=button && name="Nowhere" ?? role=button && name="Archive"' }),
  },
  { control: 'Purge', by: 'ui.menu', hand: { keys: ['alt+f'] }, go: (call) => call('ui.menu', { path: ['File', 'Purge'] }) },
  { control: 'Blue', by: 'ui.set', isVerb: true, go: (call) => call('ui.set', { target: 'role!=label && name="Blue"', value: true }) },
  { control: 'Amount', by: 'ui.set', isVerb: true, go: (call) => call('ui.set', { target: 'role=spinbutton', value: 777 }) },
  { control: 'Level', by: 'ui.set', isVerb: true, go: (call) => call('ui.set', { target: 'role=slider', value: 77 }) },
  { control: 'Colour', by: 'ui.set', isVerb: true, go: (call) => call('ui.set', { target: 'role=combobox', value: 'Green' }) },
  { control: 'Archive', by: 'ui.click_xy', go: async (call, at) => call('ui.click_xy', await at('Archive')) },
  { control: 'Archive', by: 'gui_click', go: async (call, at) => call('gui_click', await at('Archive')) },
  { control: 'Archive', by: 'gui_click_element', go: (call) => call('gui_click_element', { name: 'Archive', role: 'button' }) },
  {
    control: 'Archive',
    by: 'a drag from what lies around it to itself',
    go: (call) => call('ui.drag', { from: 'name="Panel"', to: 'role=button && name="Archive"' }),
  },
  {
    control: 'Archive',
    by: 'a script that clicks',
    go: async (call, at) => {
      const { x, y } = await at('Archive')
      return call('script.run', { script: `pyautogui.click(${x}, ${y})` })
    },
  },
  key('Archive', 'Comment', ['Tab', 'Enter']),
  key('Archive', 'Comment', ['Tab', 'space']),
  key('Archive', 'Comment', 'Tab+Enter'),
  key('Archive', 'Comment', 'Tab+space'),
  script('Archive', 'Comment', "pyautogui.hotkey('tab', 'space')"),
  script('Archive', 'Comment', "pyautogui.press('tab')\npyautogui.press('space')"),
  { control: 'Archive', by: 'gui_hotkey tab, space', from: 'Comment', go: (call) => call('gui_hotkey', { keys: ['tab', 'space'] }) },
  { control: 'Archive', by: 'a tab and a space in a text', from: 'Comment', go: (call) => call('ui.type', { text: '\t ' }) },

  key('Send', 'Comment', 'Enter'),
  { control: 'Send', by: 'a line break in a text', from: 'Comment', go: (call) => call('ui.type', { text: 'x\n' }) },
  {
    control: 'Send',
    by: 'a line break in a text for the field',
    go: (call) => call('ui.type', { target: 'name="Comment"', text: 'x\n', mode: 'append' }),
  },
  { control: 'Send', by: 'gui_type', from: 'Comment', go: (call) => call('gui_type', { text: 'x\n' }) },
  script('Send', 'Comment', "pyautogui.press('enter')"),
  script('Send', 'Comment', "pyautogui.write('x\\n')"),

  key('Purge', 'Comment', 'ctrl+shift+p'),
  key('Purge', 'Comment', ['ctrl', 'shift', 'p']),
  { control: 'Purge', by: 'gui_hotkey', from: 'Comment', go: (call) => call('gui_hotkey', { keys: ['ctrl', 'shift', 'p'] }) },
  script('Purge', 'Comment', "pyautogui.hotkey('ctrl', 'shift', 'p')"),
  script('Purge', 'Comment', "with pyautogui.hold(['ctrl', 'shift']):\n    pyautogui.press('p')"),

  key('Wipe', 'Comment', 'alt+w'),
  script('Wipe', 'Comment', "pyautogui.hotkey('alt', 'w')"),

  key('Blue', 'Red', 'ArrowDown'),
  script('Blue', 'Red', "pyautogui.press('down')"),

  // A page takes the wheel for a number only where that has the focus.
  wheel('Amount', 'role=spinbutton', -3, 'Amount'),
  key('Amount', 'Amount', 'ArrowUp'),
  key('Amount', 'Amount', 'PageUp'),
  script('Amount', 'Amount', "pyautogui.press('up')"),
  {
    control: 'Amount',
    by: 'a script that scrolls over it',
    from: 'Amount',
    hand: { notches: -3, over: 'role=spinbutton' },
    go: async (call, at) => {
      const { x, y } = await at('Amount')
      return call('script.run', { script: `pyautogui.scroll(3, ${x}, ${y})` })
    },
  },
  { control: 'Level', by: 'a click beside its handle', go: async (call, at) => call('ui.click_xy', await at('Level')) },
  wheel('Level', 'role=slider', -3),
  {
    control: 'Level',
    by: 'a drag',
    go: async (call, at) => {
      const { x, y } = await at('Level')
      return call('ui.drag', { from: { x: x - 60, y }, to: { x: x + 60, y } })
    },
  },
  key('Level', 'Amount', ['Tab', 'ArrowRight']),
  key('Level', 'Amount', ['Tab', 'End']),
  key('Colour', 'Amount', ['Tab', 'Tab', 'ArrowDown']),
  // By its role: Qt calls a combobox what is chosen in it.
  wheel('Colour', 'role=combobox', 3),
]

export interface RoutesWindow {
  session: Session
  /** What was pressed and changed so far, told by the application itself. */
  log(): Promise<string[]>
  /** Gives the application the time that it needs for what it was sent. */
  settle(): Promise<void>
  /** Puts everything back: no menu open, the values that it started with. */
  reset(): Promise<void>
  /** Sends input past Deskhand, which judges none of it. */
  byHand(input: HandInput): Promise<void>
}

/** What a route does not do with this toolkit although it is allowed, with the reason; a hand that sends the same must do nothing either. */
export type NoRoute = Readonly<Record<string, string>>

/**
 * Every route is tried by an agent that must not press or change its control, and by one that may: the first leaves nothing in the
 * application's own log, the second does, but for the routes that this toolkit does not have.
 */
export function describeRoutes(open: () => RoutesWindow, absent: NoRoute = {}): void {
  test.each(ROUTES.map((r) => [`${r.control} by ${r.by}`, r] as const))(
    '%s is done where it is allowed and not where it is denied',
    async (name, route) => {
      const { session, log, settle, reset, byHand } = open()
      const as =
        (who: Principal): Call =>
        (tool, args = {}) =>
          dispatch({ session }, who, tool, args)
      const middle = async (selector: string): Promise<Point> => {
        const { x, y, w, h } = placeIn(await as(FREE)('ui.query', { selector }))
        return { x: Math.round(x + w / 2), y: Math.round(y + h / 2) }
      }
      const hand = async (): Promise<void> => {
        if (route.isVerb) return
        if (route.hand === undefined) throw new Error('no hand could show that this route is not there')
        const { hand } = route
        return byHand('keys' in hand ? hand : { notches: hand.notches, at: await middle(hand.over) })
      }
      const attempt = async (go: () => Promise<unknown>, lands: boolean): Promise<{ logged: string[]; answer: unknown }> => {
        await reset()
        if (route.from !== undefined) {
          const target = `name="${route.from}" && role!=label && visible=true`
          const focused = await as(FREE)('ui.focus', { target })
          // GTK 4 gives the focus to nothing; a radio button that is chosen already may be clicked.
          if (focused.error?.code === 'NOT_CAPABLE' && route.from === 'Red') await as(FREE)('ui.click', { target })
          else expect(focused.error).toBeUndefined()
        }
        const before = (await log()).length
        const answer = await go()
        const pressed = async (): Promise<string[]> => (await log()).slice(before).filter((line) => line === route.control)
        // An application on a busy machine may take its time with what it was sent.
        if (lands) await vi.waitFor(async () => expect(await pressed()).not.toEqual([]), { timeout: 10_000, interval: 50 }).catch(() => {})
        else await settle()
        return { logged: await pressed(), answer }
      }
      const by = (who: Principal) => () => route.go(as(who), (of) => middle(`name="${of}" && role!=label && visible=true`))
      expect((await attempt(by(DENIED), false)).logged).toEqual([])
      const isAbsent = absent[name] !== undefined
      let allowed = await attempt(by(FREE), !isAbsent)
      // On a busy machine a focus may arrive too late, and the input is refused: an agent that may would try again.
      for (let more = 2; more > 0 && !isAbsent && allowed.logged.length === 0; more--) allowed = await attempt(by(FREE), true)
      if (isAbsent) expect([...allowed.logged, ...(await attempt(hand, false)).logged]).toEqual([])
      else expect(allowed.logged.length, JSON.stringify(allowed.answer).slice(0, 1500)).toBeGreaterThan(0)
    },
  )

  test('looking at every element, pointing at it and giving it the focus presses and changes nothing', async () => {
    const { session, log, settle, reset } = open()
    const call: Call = (tool, args = {}) => dispatch({ session }, FREE, tool, args)
    await reset()
    const before = await log()
    const { data } = await call('ui.query', { selector: 'visible=true', limit: 100 })
    const ids = (data as { matches: { elementId: string }[] }).matches.map((match) => match.elementId)
    expect(ids.length).toBeGreaterThan(10)
    for (const target of ids) {
      await call('ui.describe', { element: target })
      await call('ui.hover', { target })
      await call('ui.focus', { target })
      await call('ui.wait', { until: { uiState: { target, visible: true } }, timeoutMs: 100 })
    }
    await call('ui.snapshot', { scope: 'desktop', all: true, includeTree: true })
    await call('input.capture')
    await settle()
    expect(await log()).toEqual(before)
  })
}

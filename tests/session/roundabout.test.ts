import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Code } from '../../packages/deskhand/src/code/engine.ts'
import { desk, element, placeIn, window, type TestDesk } from '../support/desk.ts'

const ui = {
  windows: [
    window('Shop', [
      element('button', 'Order', { attributes: { on: { click: [{ do: 'increment', element: 'label_n', format: '{}' }] } } }),
      element('label', 'n', { value: 0 }),
      element('text_field', 'Name', { is_focused: true }),
    ]),
  ],
}
const rule = (decision: string, tool: string, more = ''): string =>
  `[[rule]]\ntoolName = "${tool}"\ndecision = "${decision}"\npriority = 500\n${more}\n`

let code: Code
let d: TestDesk
beforeEach(() => {
  code = new Code({ projectRoot: import.meta.dirname, timeoutSeconds: 30 })
})
afterEach(async () => {
  await d.session.close()
  await code.close()
})

const open = async (policy: string): Promise<void> => {
  d = await desk({ ui, policy, ports: { code } })
}
const orders = (): string => d.driver.describe()[0]?.children?.[1]?.label_text ?? ''
const name = (): unknown => d.driver.describe()[0]?.children?.[2]?.value ?? ''
async function middle(of: string): Promise<{ x: number; y: number }> {
  const { x, y, w, h } = placeIn(await d.call('ui.query', { selector: `name="${of}"` }))
  return { x: Math.round(x + w / 2), y: Math.round(y + h / 2) }
}
const script = async (text: string): Promise<unknown> => d.call('script.run', { script: text })

type Spot = { x: number; y: number }
type Way = [name: string, go: (at: { x: number; y: number }) => Promise<unknown>]
const CLICKS: Way[] = [
  ['its name', () => d.call('ui.click', { target: 'name="Order"' })],
  ['its pixel', (at) => d.call('ui.click_xy', at)],
  ['gui_click', (at) => d.call('gui_click', at)],
  ['gui_click_element', () => d.call('gui_click_element', { name: 'Order' })],
  ['a drag to itself', (at) => d.call('gui_drag', { start_x: at.x, start_y: at.y, end_x: at.x + 2, end_y: at.y })],
  ['a script', ({ x, y }) => script(`pyautogui.click(${x}, ${y})`)],
  ['a script, by halves', ({ x, y }) => script(`pyautogui.moveTo(${x}, ${y})\npyautogui.mouseDown()\npyautogui.mouseUp()`)],
  ['a script that drags', ({ x, y }) => script(`pyautogui.moveTo(${x}, ${y})\npyautogui.drag(1, 1)`)],
  ['Enter, when it has the focus', () => d.call('ui.key', { target: 'name="Order"', keys: 'Enter' })],
  ['the space bar', () => d.call('ui.key', { target: 'name="Order"', keys: 'space' })],
  ['a typed line break', () => d.call('ui.type', { target: 'name="Order"', text: '\n' })],
  ['a script that presses Enter', () => d.call('ui.focus', { target: 'name="Order"' }).then(() => script("pyautogui.press('enter')"))],
  ['gui_hotkey', () => d.call('ui.focus', { target: 'name="Order"' }).then(() => d.call('gui_hotkey', { keys: ['enter'] }))],
]
const TYPES: Way[] = [
  ['ui.type', () => d.call('ui.type', { target: 'name="Name"', text: 'x' })],
  ['gui_type', () => d.call('gui_type', { text: 'x' })],
  ['keys', () => d.call('ui.key', { target: 'name="Name"', keys: 'x' })],
  ['gui_hotkey', () => d.call('gui_hotkey', { keys: ['x'] })],
  ['a script that writes', () => script("pyautogui.write('x')")],
  ['a script that presses', () => script("pyautogui.press('x')")],
  ['a script that holds', () => script("pyautogui.keyDown('x')\npyautogui.keyUp('x')")],
  ['a script that writes what no keyboard has', () => script("pyautogui.write('漢')")],
  ['the clipboard', () => script("pyperclip.copy('x')\npyautogui.hotkey('ctrl', 'v')")],
]

describe('a click that is denied', () => {
  test.each(CLICKS)('is not done by %s', async (_, go) => {
    await open(rule('deny', 'ui.click', 'when = { name = "Order" }'))
    await go(await middle('Order'))
    expect(orders()).toBe('n')
    expect((await d.journal()).some((e) => e.type === 'decided' && e.decision.verdict === 'deny')).toBe(true)
  })

  test.each<[string, (from: Spot, to: Spot) => string]>([
    ['in one go', (from, to) => `pyautogui.moveTo(${from.x}, ${from.y})\npyautogui.dragTo(${to.x}, ${to.y})`],
    ['by halves', (from, to) => `pyautogui.mouseDown(${from.x}, ${from.y})\npyautogui.moveTo(${to.x}, ${to.y})\npyautogui.mouseUp()`],
  ])('is not done by letting go on what was pressed elsewhere, %s', async (_, go) => {
    await open(rule('deny', 'ui.click', 'when = { name = "Order" }'))
    const result = await script(go(await middle('n'), await middle('Order')))
    expect(result).toMatchObject({ data: { status: 'error', error: { code: 'DENIED' } } })
  })

  test('leaves a click on something else alone', async () => {
    await open(rule('deny', 'ui.click', 'when = { name = "Order" }') + rule('deny', 'ui.drag'))
    const { x, y } = await middle('n')
    expect(await script(`pyautogui.click(${x}, ${y})\npyautogui.doubleClick(${x}, ${y})`)).toMatchObject({ data: { status: 'ok' } })
  })

  test.each(CLICKS)('would have been done by %s', async (_, go) => {
    await open('')
    await go(await middle('Order'))
    expect(orders()).toBe('1')
  })
})

describe('typing that is denied', () => {
  test.each(TYPES)('is not done by %s', async (_, go) => {
    await open(rule('deny', 'ui.type'))
    await go({ x: 0, y: 0 })
    expect(name()).toBe('')
  })

  test.each(TYPES)('would have been done by %s', async (_, go) => {
    await open('')
    await go({ x: 0, y: 0 })
    expect(name()).not.toBe('')
  })
})

test('a question about clicks is asked about a pixel too, and a rate counts them all', async () => {
  await open(rule('ask_user', 'ui.click', 'when = { risk = ["low", "medium", "high"] }'))
  const at = await middle('Order')
  expect(await d.call('gui_click', at, { waitMs: 60 })).toMatchObject({ error: { code: 'APPROVAL_PENDING' } })
  await d.session.close()
  await open(rule('allow', 'ui.click', 'rateLimit = { max = 2, seconds = 60 }'))
  await d.call('ui.click', { target: 'name="Order"' })
  await d.call('gui_click', at)
  expect(await d.call('gui_click', at)).toMatchObject({ error: { code: 'RATE_LIMITED' } })
  expect(await script(`pyautogui.click(${at.x}, ${at.y})`)).toMatchObject({ data: { status: 'error', error: { code: 'RATE_LIMITED' } } })
  expect(orders()).toBe('2')
})

test('what is typed key by key is redacted where typing is, and proved where a click is', async () => {
  await open(rule('allow', 'ui.type', 'obligations = { redact = true }') + rule('allow', 'ui.click', 'obligations = { verify = true }'))
  await script("pyautogui.write('hunter2')")
  expect(name()).toBe('hunter2')
  expect(JSON.stringify((await d.journal()).filter((e) => e.type === 'decided' && e.kind === 'keys'))).not.toContain('"key":"h"')
  const nowhere = await middle('n')
  expect(await script(`pyautogui.click(${nowhere.x}, ${nowhere.y})`)).toMatchObject({
    data: { steps: [{ error: { message: expect.stringContaining('a rule demands proof') } }] },
  })
  const at = await middle('Order')
  expect(await script(`pyautogui.click(${at.x}, ${at.y})`)).toMatchObject({ data: { status: 'ok' } })
})

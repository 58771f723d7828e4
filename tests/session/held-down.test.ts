import { afterEach, describe, expect, test } from 'vitest'
import { Code } from '../../packages/deskhand/src/code/engine.ts'
import { dispatch } from '../../packages/deskhand/src/tools/dispatch.ts'
import { AGENT, desk, element, placeIn, window, type TestDesk } from '../support/desk.ts'

const drop = { attributes: { on: { drop: [{ do: 'set', element: 'label_box', label_text: 'DROPPED' }] } } }
const ui = {
  windows: [
    window('Files', [
      element('text_field', 'Name', { is_focused: true }),
      element('image', 'File', { attributes: { is_draggable: true } }),
      element('label', 'Box', drop),
    ]),
    { ...window('Elsewhere', [element('label', 'Far')]), bounds_relative: [0.7, 0.7, 0.2, 0.2] },
  ],
}
const rule = (tool: string, decision: string, when: string): string =>
  `[[rule]]\ntoolName = "${tool}"\ndecision = "${decision}"\npriority = 500\nwhen = { ${when} }\n`

let code: Code
let d: TestDesk
const open = async (policy: string): Promise<void> => {
  code = new Code({ projectRoot: import.meta.dirname, timeoutSeconds: 30 })
  d = await desk({ ui, policy, ports: { code } })
}
afterEach(async () => {
  await d.session.close()
  await code.close()
})

async function middle(of: string): Promise<string> {
  const { x, y, w, h } = placeIn(await d.call('ui.query', { selector: `name="${of}"` }))
  return `${Math.round(x + w / 2)}, ${Math.round(y + h / 2)}`
}
const script = (text: string): Promise<unknown> => d.call('script.run', { script: text })
const isShown = (text: string): boolean => JSON.stringify(d.driver.describe()).includes(text)
const judged = async (tool: string) =>
  (await d.journal()).flatMap((e) => (e.type === 'decided' && e.tool === tool && e.kind !== 'screens' && e.targets.length > 0 ? [e] : []))

const dragging = async (): Promise<string> =>
  `pyautogui.mouseDown(${await middle('File')})\npyautogui.moveTo(${await middle('Box')})\npyautogui.mouseUp()`

describe('what a script holds down belongs to what it does next', () => {
  test('a chord by halves is that chord', async () => {
    await open(rule('ui.window', 'deny', 'window = "Elsewhere"'))
    await script("pyautogui.keyDown('alt')\npyautogui.press('f4')\npyautogui.keyUp('alt')")
    expect(await judged('pyautogui.press')).toMatchObject([{ decision: { verdict: 'deny' }, held: { keys: ['Alt'] } }])
  })

  test.each([
    ['allow', 'name = "File"', true],
    ['deny', 'name = "File"', false],
    ['deny', 'name = "Box"', false],
  ])('a drag by halves is that drag: %s where %s', async (decision, when, lands) => {
    await open(rule('ui.drag', decision, when))
    await script(await dragging())
    expect(isShown('DROPPED')).toBe(lands)
  })

  test('also where both are sent at once by one who keeps the controls', async () => {
    await open(rule('ui.window', 'deny', 'window = "Elsewhere"'))
    await d.session.hold(AbortSignal.timeout(20_000), async (lease) => {
      const keys = (...events: unknown[]) => dispatch({ session: d.session }, AGENT, 'input.keys', { events }, { lease })
      const both = [keys({ type: 'down', key: 'Alt' }), keys({ type: 'down', key: 'F4' }, { type: 'up', key: 'F4' })]
      expect(await Promise.all(both)).toMatchObject([{ sent: 'all' }, { sent: 'none', error: { code: 'DENIED' } }])
    })
  })

  test('what is let go of elsewhere comes from where it was pressed', async () => {
    await open(rule('*', 'deny', 'carriedFrom = "files"'))
    await script(`pyautogui.mouseDown(${await middle('File')})\npyautogui.moveTo(${await middle('Far')})\npyautogui.mouseUp()`)
    expect(await judged('pyautogui.mouseUp')).toMatchObject([
      { decision: { verdict: 'deny' }, held: { keys: ['left'], from: { name: 'File' } }, carried: [{ window: 'Files' }] },
    ])
  })
})

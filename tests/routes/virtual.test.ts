import { within } from '@deskhand/core/driver'
import { afterAll, beforeAll, describe } from 'vitest'
import { Code } from '../../packages/deskhand/src/code/engine.ts'
import { desk, element, window, type TestDesk } from '../support/desk.ts'
import { describeRoutes, POLICY } from '../support/routes.ts'

const log = (name: string) => [{ do: 'append', element: 'label_log', text: `${name};` }]
const pressed = (name: string, more: Record<string, unknown> = {}) => ({ attributes: { on: { click: log(name) }, ...more } })
const changed = (name: string, more: Record<string, unknown> = {}) => ({ attributes: { on: { change: log(name) }, ...more } })

const NO_WHEEL = 'a wheel only scrolls here'

const ui = {
  screen: { width: 1000, height: 900 },
  windows: [
    window('Routes', [
      element('menubar', 'Bar', {
        children: [element('menu', 'File', { children: [element('menuitem', 'Purge', pressed('Purge', { shortcut: 'ctrl+shift+p' }))] })],
      }),
      element('form', 'Form', {
        attributes: { on: { submit: log('Send') } },
        children: [
          element('text_field', 'Comment', { is_focused: true }),
          element('group', 'Panel', { children: [element('button', 'Archive', { bounds_relative: [0, 0, 1, 1], ...pressed('Archive') })] }),
          element('button', 'Send', { attributes: { on: { click: [{ do: 'submit', element: 'form_form' }] } } }),
        ],
      }),
      element('button', 'Wipe', pressed('Wipe', { shortcut: 'alt+w' })),
      element('radio_group', 'Choice', {
        children: [element('radio', 'Red', { value: true }), element('radio', 'Blue', changed('Blue'))],
      }),
      element('spinbutton', 'Amount', { value: 10, ...changed('Amount', { min: 0, max: 1000 }) }),
      element('slider', 'Level', { value: 20, ...changed('Level', { min: 0, max: 100 }) }),
      element('combobox', 'Colour', { value: 'Red', ...changed('Colour', { options: ['Red', 'Green', 'Blue'] }) }),
      element('label', 'log', { value: '' }),
    ]),
  ],
}

describe('the simulated desktop', () => {
  let d: TestDesk
  let code: Code
  beforeAll(async () => {
    code = new Code({ projectRoot: import.meta.dirname, timeoutSeconds: 30 })
    d = await desk({ ui, policy: POLICY, ports: { code } })
  })
  afterAll(async () => {
    await d.session.close()
    await code.close()
  })
  describeRoutes(
    () => ({
      session: d.session,
      log: async () => (/"label_text":"log([^"]*)"/.exec(JSON.stringify(d.driver.describe()))?.[1] ?? '').split(';').slice(0, -1),
      settle: async () => {},
      reset: async () => {
        await d.call('ui.click', { target: 'role=radio && name="Red"' })
      },
      byHand: async (input) => {
        if ('keys' in input) throw new Error('no key is missing here')
        const { act } = d.driver
        await act.stop()
        const lease = await act.take(1_000, within(1_000))
        const events = [{ type: 'move', ...input.at } as const, { type: 'wheel', dx: 0, dy: input.notches } as const]
        await act.step(lease, { do: 'pointer', events }, {}, within(1_000))
        await act.drop(lease)
      },
    }),
    {
      'Amount by a wheel': NO_WHEEL,
      'Amount by a script that scrolls over it': NO_WHEEL,
      'Level by a wheel': NO_WHEEL,
      'Colour by a wheel': NO_WHEEL,
    },
  )
})

import type { Driver } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import { openVirtual } from '@deskhand/driver-virtual'
import { describe, expect, test } from 'vitest'
import { desk, element, govern, window, OPERATOR, type TestDesk } from '../support/desk.ts'

const counting = { attributes: { on: { click: [{ do: 'increment', element: 'label_n', format: '{}' }] } } }
const over = { ...window('Over', [element('label', 'Hello')]), bounds_relative: [0.05, 0.05, 0.9, 0.9] }
const form = window('Form', [element('button', 'Next', counting), element('label', 'n', { value: 0 }), element('text_field', 'Name')])
const covered = { windows: [form, over] }
const NEXT = { target: 'name="Next"', timeoutMs: 200 }

const rule = (decision: string, when: string, tool = 'ui.click'): string => `
[[rule]]
name = "${decision} ${when.replaceAll('"', '')}"
toolName = "${tool}"
decision = "${decision}"
priority = 500
when = { ${when} }
`
const presses = (d: Pick<TestDesk, 'driver'>): string | null | undefined =>
  d.driver.describe().find((e) => e.element_id === 'form')?.children?.[1]?.label_text
const judged = async (d: Pick<TestDesk, 'journal'>) =>
  (await d.journal()).flatMap((e) => (e.type === 'decided' ? [{ verdict: e.decision.verdict, route: e.route }] : []))

describe('a button under another window', () => {
  test('is pressed by its own action, which is judged for itself and recorded', async () => {
    const d = await desk({ ui: covered })
    expect(await d.call('ui.click', NEXT)).toMatchObject({ status: 'success', via: 'action:press' })
    expect(presses(d)).toBe('1')
    expect(await judged(d)).toEqual([
      { verdict: 'allow', route: undefined },
      { verdict: 'allow', route: { by: 'interface' } },
    ])
  })

  test('is not pressed that way where a rule denies it', async () => {
    const d = await desk({ ui: covered, policy: rule('deny', 'delivery = "semantic"') })
    expect(await d.call('ui.click', NEXT)).toMatchObject({ sent: 'none', error: { code: 'NOT_ACTIONABLE' } })
    expect(presses(d)).toBe('n')
    expect((await judged(d)).map((j) => j.verdict)).toEqual(['allow', 'deny', 'allow'])
  })

  test('is not pressed without a question where a rule asks for that way only', async () => {
    const d = await desk({ ui: covered, policy: rule('ask_user', 'delivery = "semantic"') })
    expect((await d.call('ui.click', NEXT)).status).toBe('error')
    expect(presses(d)).toBe('n')
  })

  test('a rule against the pointer refuses the call, and its own action takes a call that says so', async () => {
    const d = await desk({ ui: covered, policy: rule('deny', 'delivery = "input"') })
    expect((await d.call('ui.click', NEXT)).error?.code).toBe('DENIED')
    expect(presses(d)).toBe('n')
    expect((await d.call('ui.click', { ...NEXT, delivery: 'semantic' })).status).toBe('success')
    expect(presses(d)).toBe('1')
  })

  test('one answer of a person covers both ways that the same rule asks for', async () => {
    const d = await desk({ ui: covered, policy: rule('ask_user', 'name = "Next"') })
    const under = d.call('ui.click', { ...NEXT, timeoutMs: 2_000 })
    await expect.poll(() => d.session.approvals.list()).toHaveLength(1)
    const { id } = d.session.approvals.list()[0]!
    await d.session.invoke('approvals.answer', { id, allow: true, scope: 'once' }, OPERATOR)
    expect(await under).toMatchObject({ status: 'success', via: 'action:press' })
    expect((await d.journal()).filter((e) => e.type === 'answered')).toHaveLength(1)
  })
})

/** A desktop whose elements cannot do these things by themselves; what was sent is in the list. */
async function without(steps: readonly string[], policy: string, ui: unknown = { windows: [form] }) {
  const driver = openVirtual({ ui })
  const sent: string[] = []
  const stepping: Driver = {
    ...driver,
    observe: driver.observe,
    act: {
      take: (...a) => driver.act.take(...a),
      drop: (...a) => driver.act.drop(...a),
      stop: () => driver.act.stop(),
      reply: (...a) => driver.act.reply(...a),
      step: async (lease, step, guard, ctx) => {
        if (steps.includes(step.do)) throw new DeskhandError('NOT_CAPABLE', 'no way')
        sent.push(step.do)
        return driver.act.step(lease, step, guard, ctx)
      },
    },
    close: () => driver.close(),
  }
  const on = await govern(stepping, policy, { desktop: 'virtual', mode: 'simulation_only' })
  return { ...on, driver, sent }
}

describe('an entry that cannot be chosen by itself', () => {
  const files = { windows: [window('Files', [element('list', 'Files', { children: [element('listitem', 'run.sh')] })]), over] }
  const own = (sent: readonly string[]): string[] => sent.filter((step) => step !== 'pointer' && step !== 'reveal')
  const FILE = { target: 'role=listitem && name="run.sh"', timeoutMs: 200 }

  test.each([{}, { delivery: 'semantic' }])('is acted upon by its own action, which is judged as opening it: %j', async (more) => {
    const d = await without(['select'], '', files)
    await d.call('ui.click', { ...FILE, ...more })
    expect(own(d.sent)).toEqual(['press'])
    expect((await judged(d)).at(-1)?.route).toEqual({ by: 'opening' })
  })

  test.each([{}, { delivery: 'semantic' }])('is not opened where a rule denies double clicks: %j', async (more) => {
    const d = await without(
      ['select'],
      '[[rule]]\ntoolName = "ui.click"\nargsPattern = \'"clickCount":2\'\ndecision = "deny"\npriority = 500\n',
      files,
    )
    expect((await d.call('ui.click', { ...FILE, ...more })).status).toBe('error')
    expect(own(d.sent)).toEqual([])
  })

  test('is chosen where that can be done', async () => {
    const d = await without([], '', files)
    await d.call('ui.click', FILE)
    expect(own(d.sent)).toEqual(['select'])
  })
})

describe('a field that does not take the focus by itself', () => {
  /** As in GTK 4. */
  async function unfocusable(policy: string, more: string[] = []) {
    const d = await without(['focus', ...more], policy)
    const value = () => d.driver.describe().find((e) => e.element_id === 'form')?.children?.[2]?.value
    return { ...d, value }
  }
  const NAME = { target: 'name="Name"', text: 'Anna', timeoutMs: 200 }
  const NO_CLICK = rule('deny', 'name = "Name"')

  test('is clicked for it, which is judged as a click', async () => {
    const d = await unfocusable('', ['setText'])
    expect((await d.call('ui.type', NAME)).status).toBe('success')
    expect(d.value()).toBe('Anna')
    expect(d.sent).toContain('pointer')
    expect((await judged(d)).at(-1)?.route).toEqual({ focus: 'pointer', by: 'keys' })
  })

  test.each([
    ['ui.type', NAME],
    ['ui.key', { target: NAME.target, keys: 'a', timeoutMs: 200 }],
    ['ui.focus', { target: NAME.target, timeoutMs: 200 }],
  ])('is not clicked by %s where a rule denies the click', async (tool, args) => {
    const d = await unfocusable(NO_CLICK, ['setText'])
    expect((await d.call(tool, args)).status).toBe('error')
    expect(d.sent).toEqual([])
    expect(d.value() ?? '').toBe('')
  })

  test('is set by its own interface where that needs no focus', async () => {
    const d = await unfocusable(NO_CLICK)
    expect((await d.call('ui.type', NAME)).status).toBe('success')
    expect(d.sent).toEqual(['setText'])
  })
})

test('no way of a call that names one is another', async () => {
  const d = await desk({ ui: covered })
  expect(await d.call('ui.click', { ...NEXT, clickCount: 2 })).toMatchObject({ error: { code: 'NOT_ACTIONABLE' } })
  expect(presses(d)).toBe('n')
})

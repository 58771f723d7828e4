import { describe, expect, test } from 'vitest'
import { desk, element, OPERATOR, window } from '../support/desk.ts'

const menu = element('menubar', 'Bar', {
  children: [
    element('menu', 'File', {
      children: [
        element('menu', 'New', {
          children: [
            {
              ...element('menuitem', 'Variable…'),
              attributes: { on: { click: [{ do: 'set', element: 'said', label_text: 'new variable' }] } },
            },
          ],
        }),
        element('menuitem', 'Close'),
      ],
    }),
  ],
})
const ask = { ...element('button', 'Ask'), attributes: { on: { click: [{ do: 'open', element: 'sure' }] } } }
const sure = {
  ...element('dialog', 'Sure?', {
    element_id: 'sure',
    is_visible: false,
    children: [{ ...element('button', 'Yes'), attributes: { on: { click: [{ do: 'close' }] } } }],
  }),
}
const form = window('Form', [
  menu,
  element('text_field', 'Name'),
  element('text_field', 'City'),
  element('checkbox', 'Paid'),
  element('dropdown', 'Country', { value: 'Country 0', attributes: { options: Array.from({ length: 60 }, (_, i) => `Country ${i}`) } }),
  element('slider', 'Volume', { value: 20, attributes: { min: 0, max: 100 } }),
  element('label', 'nothing', { element_id: 'said' }),
  ask,
  { ...element('button', 'Delete all'), attributes: { on: { click: [{ do: 'set', element: 'said', label_text: 'deleted' }] } } },
])
const ui = { windows: [form, sure] }
const rule = (decision: string, toolName: string, name: string) =>
  `[[rule]]\ntoolName = "${toolName}"\ndecision = "${decision}"\npriority = 900\n[rule.when]\nname = "${name}"\n`

test.each([
  ['ui.window', { op: 'focus', target: 'e1' }, /\{ "op": "activate", "target": "e1" \}/],
  ['ui.menu', { path: 'File > New' }, /^Send for example \{ "path": \["File"/],
  ['ui.batch', { steps: [{ tool: 'ui.set', target: 'e1', value: 'x' }] }, /"args": \{ "target"/],
  ['ui.wait', { until: 7 }, /\{ "until": "role=dialog" \}/],
  ['ui.click', { selector: 'name="Name"' }, /\{ "target": "e12" \}/],
])('arguments of %s that cannot be read are answered with a call that can', async (tool, args, next) => {
  const d = await desk({ ui })
  const { error } = await d.call(tool, args)
  expect(error).toMatchObject({ code: 'BAD_ARGS', next: expect.stringMatching(next) as string })
})

describe('ui.set', () => {
  test('brings each kind of control to a value, and says what it became', async () => {
    const d = await desk({ ui })
    const fields = [
      { target: 'name="Name"', value: 'Anna' },
      { target: 'name="Paid"', value: true },
      { target: 'role=combobox && name="Country"', value: 'Country 55' },
      { target: 'name="Volume"', value: 70 },
    ]
    const done = await d.call('ui.set', { fields })
    expect(done, done.text).toMatchObject({ status: 'success', effect: 'confirmed' })
    expect(done.text).toMatch(
      /textbox "Name": "Anna"\ne\d+ checkbox "Paid": checked\ne\d+ combobox "Country": "Country 55"\ne\d+ slider "Volume": "70"/,
    )
    const again = await d.call('ui.set', { target: 'name="Paid"', value: true })
    expect(again).toMatchObject({ status: 'success', sent: 'none' })
    expect((await d.call('ui.set', { target: 'name="Paid"', value: false })).text).toMatch(/checkbox "Paid": unchecked/)
  })

  test('what a control became is said once', async () => {
    const d = await desk({ ui })
    await d.call('ui.snapshot')
    const { text = '' } = await d.call('ui.set', {
      fields: [
        { target: 'name="Paid"', value: true },
        { target: 'name="Volume"', value: 70 },
      ],
    })
    expect(text.match(/Paid/g)).toHaveLength(1)
    expect(text.match(/"70"/g)).toHaveLength(1)
  })

  test('a value that there is not is refused with those that there are', async () => {
    const d = await desk({ ui })
    const refused = await d.call('ui.set', { target: 'role=combobox && name="Country"', value: 'Atlantis' })
    expect(refused.error).toMatchObject({ code: 'NOT_FOUND', next: expect.stringContaining('"Country 0"') as string })
  })

  test('a value that a control never holds is refused and presses nothing, and 1 and 0 are true and false', async () => {
    const d = await desk({ ui })
    const set = (name: string, value: unknown) => d.call('ui.set', { target: `name="${name}"`, value })
    for (const [name, value, message] of [
      ['Paid', 'maybe', /takes true or false, not "maybe"/],
      ['Volume', 'loud', /takes a number, not "loud"/],
    ] as const)
      expect(await set(name, value)).toMatchObject({
        sent: 'none',
        error: { code: 'BAD_ARGS', message: expect.stringMatching(message) as string },
      })
    expect((await d.call('ui.query', { selector: 'name="Paid" && checked=true' })).data).toMatchObject({ count: 0 })
    expect((await set('Paid', 1)).text).toMatch(/"Paid": checked/)
    expect(await set('Paid', '1')).toMatchObject({ status: 'success', sent: 'none' })
    expect((await set('Paid', '0')).text).toMatch(/"Paid": unchecked/)
    expect((await set('Ask', true)).error?.message).toMatch(/was pressed once and does not stay pressed/)
  })

  test('rules about clicks and texts hold for it', async () => {
    const d = await desk({ ui, policy: rule('deny', 'ui.click', 'Paid') + rule('deny', 'ui.type', 'City') })
    expect(await d.call('ui.set', { target: 'name="Paid"', value: true })).toMatchObject({ error: { code: 'DENIED' } })
    expect(await d.call('ui.set', { target: 'name="City"', value: 'Bonn' })).toMatchObject({ error: { code: 'DENIED' } })
    expect(await d.call('ui.set', { target: 'name="Name"', value: 'Anna' })).toMatchObject({ status: 'success' })
  })
})

describe('ui.menu', () => {
  test('walks three levels and says what came of it', async () => {
    const d = await desk({ ui })
    const done = await d.call('ui.menu', { path: ['File', 'New', 'Variable'] })
    expect(done, done.error?.message).toMatchObject({ status: 'success' })
    expect(done.text).toMatch(/now e\d+ label "new variable"/)
  })

  test('a path that ends with a menu opens it, and the answer shows its entries', async () => {
    const d = await desk({ ui })
    const done = await d.call('ui.menu', { path: ['File', 'New'] })
    expect(done, done.error?.message).toMatchObject({ status: 'success' })
    expect(done.text).toContain('menuitem "Variable…"')
  })

  test('an entry that is not there is refused with those that are, and the menu is closed again', async () => {
    const d = await desk({ ui })
    const refused = await d.call('ui.menu', { path: ['File', 'Old'] })
    expect(refused.error).toMatchObject({ code: 'NOT_FOUND', next: expect.stringContaining('"Close"') as string })
    expect((await d.call('ui.query', { selector: 'role=menuitem && visible=true' })).data).toMatchObject({ count: 0 })
  })
})

describe('conditions in few words', () => {
  test('are taken by every tool that takes conditions, in steps and in plans, and what to scroll to stays an element', async () => {
    const d = await desk({ ui })
    expect(await d.call('ui.wait', { until: 'name="Paid"' })).toMatchObject({ status: 'success' })
    expect(await d.call('ui.assert', { condition: 'gone role=dialog' })).toMatchObject({ status: 'success' })
    const ask = { target: 'name="Ask"', verify: 'dialog "Sure?"' }
    expect(await d.call('ui.click', ask)).toMatchObject({ status: 'success', effect: 'confirmed' })
    expect(await d.call('ui.click', { target: 'name="Yes"', verify: 'gone dialog "Sure?"' })).toMatchObject({ effect: 'confirmed' })
    const rehearsed = await d.call('plan.rehearse', { actions: [{ tool: 'ui.click', args: ask }] })
    expect(rehearsed, rehearsed.error?.message).toMatchObject({ status: 'success', data: { known: 1 } })
    const scrolled = await d.call('ui.batch', { steps: [{ tool: 'scroll', args: { until: 'name="Paid"' } }] })
    expect(scrolled, scrolled.error?.message).toMatchObject({ status: 'success' })
  })
})

describe('ui.batch', () => {
  const named = (name: string) => ({ target: `name="${name}"` })

  test('does its steps in order, each with a line, and tells at the end what changed', async () => {
    const d = await desk({ ui })
    const steps = [
      { tool: 'ui.type', args: { ...named('Name'), text: 'Anna' } },
      { tool: 'click', args: named('Paid') },
      { tool: 'ui.set', args: { ...named('Volume'), value: 50 } },
    ]
    const done = await d.call('ui.batch', { steps })
    expect(done, done.error?.message).toMatchObject({ status: 'success', sent: 'all', data: { done: 3, left: 0 } })
    expect(done.text).toMatch(/^1 ui\.type e\d+ textbox "Name": confirmed\n2 ui\.click e\d+ checkbox "Paid": confirmed\n3 ui\.set/)
    expect(done.text).toMatch(/now e\d+ checkbox "Paid"/)
    const tools = (await d.journal()).flatMap((e) => (e.type === 'decided' && e.kind !== 'describe' ? [`${e.tool} ${e.kind}`] : []))
    expect(tools).toEqual(['ui.batch capabilities', 'ui.type type', 'ui.click click', 'ui.set type'])
  })

  test('stops at the first error, and says how many were not sent', async () => {
    const d = await desk({ ui })
    const steps = [
      { tool: 'ui.click', args: named('Paid') },
      { tool: 'ui.click', args: { ...named('Missing'), timeoutMs: 0 } },
      { tool: 'ui.click', args: named('Delete all') },
    ]
    const stopped = await d.call('ui.batch', { steps })
    expect(stopped).toMatchObject({
      status: 'error',
      sent: 'partial',
      retry: 'observe_first',
      error: { code: 'NOT_FOUND' },
      data: { done: 1, left: 1 },
    })
    expect(stopped.text).toMatch(/2 ui\.click: NOT_FOUND.*\nstopped before the end; 1 step behind it was not sent/)
    expect((await d.call('ui.query', { selector: 'name="deleted"' })).data).toMatchObject({ count: 0 })
  })

  test('finds what no step can be carried out with before it sends the first one', async () => {
    const d = await desk({ ui })
    for (const wrong of [
      { tool: 'ui.click', args: { target: 'role=button && visible' } },
      { tool: 'ui.set', args: { fields: [{ target: 'name=', value: 'x' }] } },
      { tool: 'ui.wait', args: { until: 7 } },
    ]) {
      const refused = await d.call('ui.batch', { steps: [{ tool: 'ui.click', args: named('Paid') }, wrong] })
      expect(refused).toMatchObject({
        sent: 'none',
        error: { message: expect.stringMatching(/^step 2: .*; nothing was sent$/s) as string },
      })
    }
    expect((await d.call('ui.query', { selector: 'name="Paid" && checked=true' })).data).toMatchObject({ count: 0 })
  })

  test('tells what the steps before a failed one changed', async () => {
    const d = await desk({ ui })
    const steps = [
      { tool: 'ui.click', args: named('Paid') },
      { tool: 'ui.type', args: { ...named('Name'), secret: 'unknown' } },
    ]
    const stopped = await d.call('ui.batch', { steps })
    expect(stopped).toMatchObject({ sent: 'partial', error: { code: 'UNKNOWN_SECRET' } })
    expect(stopped.text).toMatch(/now e\d+ checkbox "Paid" focused checked/)
  })

  test('shows what a step that looks has seen, and takes conditions in few words', async () => {
    const d = await desk({ ui })
    const steps = [
      { tool: 'ui.click', args: { ...named('Ask'), verify: 'name="Sure?"' } },
      { tool: 'ui.click', args: { ...named('Yes'), verify: 'gone name="Sure?"' } },
      { tool: 'ui.wait', args: { until: 'name="Paid"' } },
      { tool: 'ui.snapshot', args: {} },
    ]
    const done = await d.call('ui.batch', { steps })
    expect(done, done.error?.message).toMatchObject({ status: 'success', data: { done: 4 } })
    expect(done.text).toMatch(/\n4 ui\.snapshot: done\n +snapshot s\d+\n +e\d+ window "Form"[^]*textbox "Name"/)
  })

  test('stops at a dialog that no step names, and goes on where one does', async () => {
    const d = await desk({ ui })
    const surprised = await d.call('ui.batch', {
      steps: [
        { tool: 'ui.click', args: named('Ask') },
        { tool: 'ui.click', args: named('Paid') },
      ],
    })
    expect(surprised).toMatchObject({ error: { code: 'SURPRISE', message: expect.stringContaining('"Sure?" opened') as string } })
    expect(surprised.text).toMatch(/opened:\ne\d+ dialog "Sure\?"/)
    await d.call('ui.click', named('Yes'))
    const steps = [
      { tool: 'ui.click', args: named('Ask') },
      { tool: 'ui.click', args: named('Yes') },
      { tool: 'ui.click', args: named('Paid') },
    ]
    expect(await d.call('ui.batch', { steps })).toMatchObject({ status: 'success', data: { done: 3 } })
  })

  test('stops at a denial and at a question, and what was not judged was not sent', async () => {
    const steps = [
      { tool: 'ui.click', args: named('Paid') },
      { tool: 'ui.click', args: named('Delete all') },
      { tool: 'ui.click', args: named('Paid') },
    ]
    const denied = await desk({ ui, policy: rule('deny', 'ui.click', 'Delete all') })
    expect(await denied.call('ui.batch', { steps })).toMatchObject({ error: { code: 'DENIED' }, data: { done: 1, left: 1 } })
    const asking = await desk({ ui, policy: rule('ask_user', 'ui.click', 'Delete all') })
    const asked = await asking.call('ui.batch', { steps })
    expect(asked).toMatchObject({ error: { code: 'APPROVAL_PENDING' }, data: { done: 1, left: 1 } })
    const forbidden = await desk({ ui, policy: '[[rule]]\ntoolName = "ui.batch"\ndecision = "deny"\npriority = 900\n' })
    expect(await forbidden.call('ui.batch', { steps })).toMatchObject({ sent: 'none', error: { code: 'DENIED' } })
  })

  test('is rehearsed and agreed to as a plan, and then passes without a question', async () => {
    const d = await desk({ ui, policy: rule('ask_user', 'ui.click', 'Paid') + rule('ask_user', 'ui.type', 'City') })
    const args = {
      steps: [
        { tool: 'ui.click', args: named('Paid') },
        { tool: 'ui.type', args: { ...named('City'), text: 'Bonn' } },
      ],
    }
    const plan = d.call('plan.rehearse', { actions: [{ tool: 'ui.batch', args }], ask: true })
    await expect.poll(() => d.session.approvals.list().length).toBe(1)
    const [question] = d.session.approvals.list()
    await d.session.invoke('approvals.answer', { id: question!.id, allow: true, scope: 'once' }, OPERATOR)
    expect(await plan).toMatchObject({ status: 'success', data: { known: 2 } })
    const done = await d.call('ui.batch', args)
    expect(done, done.error?.message).toMatchObject({ status: 'success', data: { done: 2 } })
    expect(d.session.approvals.list()).toHaveLength(0)
  })
})

describe('ui.type with submit', () => {
  test('Enter, Tab and a line break at the end of the text do what the keys do', async () => {
    const on = { submit: [{ do: 'set', element: 'said', label_text: 'sent' }] }
    const fields = window('Form', [
      { ...element('text_field', 'One'), attributes: { on } },
      element('text_field', 'Two'),
      element('label', 'nothing', { element_id: 'said' }),
    ])
    for (const args of [{ text: 'a', submit: 'Enter' }, { text: 'a\n' }]) {
      const d = await desk({ ui: { windows: [fields] } })
      expect((await d.call('ui.type', { target: 'name="One"', ...args })).text).toMatch(/label "sent"/)
      expect((await d.call('ui.query', { selector: 'name="One"' })).data).toMatchObject({ matches: [{ value: 'a' }] })
    }
    const d = await desk({ ui: { windows: [fields] } })
    expect((await d.call('ui.type', { target: 'name="One"', text: 'b', submit: 'Tab' })).text).toMatch(
      /next key goes to e\d+ textbox "Two"/,
    )
    expect((await d.call('ui.query', { selector: 'name="One"' })).data).toMatchObject({ matches: [{ value: 'b' }] })
  })

  test('the focus is where a person would have it, so that the next key goes there', async () => {
    const d = await desk({ ui })
    await d.call('ui.type', { target: 'name="City"', text: 'Bonn' })
    expect((await d.call('ui.query', { selector: 'focused=true' })).data).toMatchObject({ matches: [{ name: 'City' }] })
  })
})

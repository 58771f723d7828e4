import { describe, expect, test } from 'vitest'
import type { Frame } from '@deskhand/core/driver'
import { AGENT, desk, element, OPERATOR, placeIn, window, type TestDesk } from '../support/desk.ts'
import { dispatch } from '../../packages/deskhand/src/tools/dispatch.ts'
const DENY = '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 900\n[rule.when]\napp = "virtual:vault"\n'
const DENY_WIN = '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 900\n[rule.when]\nwindow = "Payroll*"\n'
const vault = window('Vault', [element('text_field', 'MasterKey', { value: 'HUNTER2' }), element('button', 'SECRETBUTTON')])
const app = window('App', [element('button', 'Ok'), element('text_field', 'Name')])
const ui = { windows: [app, vault] }
const asOp = (d: TestDesk, tool: string, args: unknown = {}) => dispatch({ session: d.session }, OPERATOR, tool, args, {})
const str = (x: unknown) => JSON.stringify(x)

describe('leaks of a denied application', () => {
  test('sanity: outline hides it', async () => {
    const d = await desk({ ui, policy: DENY })
    const r = await d.call('ui.snapshot', { scope: 'desktop', all: true, includeTree: true, includeTextIndex: true })
    expect(str(r)).not.toMatch(/MasterKey|HUNTER2|SECRETBUTTON/)
  })
  test('since of the operator', async () => {
    const d = await desk({ ui, policy: DENY })
    const s = await asOp(d, 'ui.snapshot', { scope: 'desktop' })
    const r = await d.call('ui.snapshot', { scope: 'desktop', since: s.evidence?.snapshotId, budget: 2000 })
    expect(str(r)).not.toMatch(/MasterKey|HUNTER2|SECRETBUTTON/)
  })
  test('focus-based key, denied: resolvedTarget', async () => {
    const d = await desk({ ui, policy: DENY })
    const r = await d.call('ui.key', { keys: 'a' })
    expect(str(r)).not.toMatch(/MasterKey|HUNTER2|Vault/)
  })
  test('type untargeted with dryRun, and click_xy', async () => {
    const d = await desk({ ui, policy: DENY })
    await asOp(d, 'ui.click', { target: 'name="MasterKey"' })
    const r1 = await d.call('ui.type', { text: 'a' }, { dryRun: true })
    const q = await asOp(d, 'ui.query', { selector: 'name="MasterKey"' })
    const b = placeIn(q)
    const r2 = await d.call('ui.click_xy', { x: b.x + 2, y: b.y + 2 })
    expect(str([r1, r2])).not.toMatch(/MasterKey|HUNTER2|Vault/)
  })
  test('assert on a guessed element id', async () => {
    const d = await desk({ ui, policy: DENY })
    await asOp(d, 'ui.snapshot', { scope: 'desktop' })
    const out: string[] = []
    for (let i = 1; i < 15; i++) {
      const r = await d.call('ui.assert', { condition: { uiState: { target: `e${i}`, value: 'x', name: 'x' } } })
      out.push(r.error?.message ?? '')
    }
    expect(out.join()).not.toMatch(/MasterKey|HUNTER2|Vault/)
  })
  test('stale ref message of a hidden element', async () => {
    const v = window('Vault', [
      element('button', 'Balance 1', {
        attributes: { on: { click: [{ do: 'set', element: 'button_balance_1', label_text: 'Balance 999' }] } },
      }),
    ])
    const d = await desk({ ui: { windows: [app, v] }, policy: DENY })
    await asOp(d, 'ui.snapshot', { scope: 'desktop' })
    const ctx = { signal: new AbortController().signal, deadlineMs: 1000 }
    const b = (await d.driver.observe.read({}, ctx)).nodes.find((n) => n.name === 'Balance 1')!.bounds!
    d.driver.human({
      do: 'pointer',
      events: [
        { type: 'move', x: b.x + 5, y: b.y + 5 },
        { type: 'down', button: 'left' },
        { type: 'up', button: 'left' },
      ],
    })
    const out: string[] = []
    for (let i = 1; i < 10; i++) out.push((await d.call('ui.describe', { element: `e${i}` })).error?.message ?? '')
    expect(out.join()).not.toMatch(/Balance/)
  })
  test('verify with an id: condition on hidden', async () => {
    const d = await desk({ ui, policy: DENY })
    // An agent needs no operator: focus gives it an id.
    await asOp(d, 'ui.click', { target: 'name="MasterKey"' })
    const r = await d.call('ui.key', { keys: 'a' })
    const id = r.resolvedTarget?.elementId
    expect(id).toBeUndefined()
    const a = await d.call('ui.assert', { condition: { uiState: { target: 'e1', value: '' } } })
    expect(str(a)).not.toMatch(/HUNTER2/)
  })
})

describe('leaks of a denied window of a visible application', () => {
  const two = {
    windows: [
      window('App', [element('button', 'Ok')], { app: 'office' }),
      window('Payroll 2026', [element('text_field', 'Salary', { value: '99999' })], { app: 'office' }),
    ],
  }
  test('activeApp title', async () => {
    const d = await desk({ ui: two, policy: DENY_WIN })
    await asOp(d, 'ui.click', { target: 'name="Salary"' })
    const r = await d.call('ui.snapshot', { scope: 'desktop' })
    expect(str(r)).not.toMatch(/Payroll|Salary/)
  })
  test('describe by id', async () => {
    const d = await desk({ ui: two, policy: DENY_WIN })
    await asOp(d, 'ui.snapshot', { scope: 'desktop' })
    const out: string[] = []
    for (let i = 1; i < 10; i++) out.push(str(await d.call('ui.describe', { element: `e${i}` })))
    expect(out.join()).not.toMatch(/Payroll|Salary/)
  })
  test('capture mask', async () => {
    const d = await desk({ ui: two, policy: DENY_WIN })
    await asOp(d, 'ui.click', { target: 'name="Salary"' })
    const q = await asOp(d, 'ui.query', { selector: 'name="Salary"' })
    const b = placeIn(q)
    const r = await d.session.call({ tool: 'ui.capture', kind: 'capture', args: { region: b, format: 'raw' }, principal: AGENT })
    expect(r.status).toBe('success')
    const f = r.data as Frame
    const colours = new Set<string>()
    for (let i = 0; i < f.data.length; i += 4) colours.add(f.data.slice(i, i + 3).join())
    expect(colours.size).toBe(1)
  })
  test('snapshot root / describe of a visible parent shows hidden children (document inside a window)', async () => {
    // a hidden dialog/window inside a visible one
    const ui = {
      windows: [
        window('App', [element('button', 'Ok'), { ...element('dialog', 'Payroll popup'), children: [element('label', 'SalaryLabel')] }]),
      ],
    }
    const d = await desk({ ui, policy: DENY_WIN })
    const r = await d.call('ui.snapshot', { scope: 'desktop', all: true })
    const root = /e\d+/.exec(r.text ?? '')?.[0]
    const x = await d.call('ui.describe', { element: root })
    const y = await d.call('ui.snapshot', { root, all: true })
    expect(r.text).not.toMatch(/Salary/)
    expect(str([x, y])).not.toMatch(/SalaryLabel/)
  })
})

describe('an application of which pictures are denied', () => {
  const NO_PICTURES = '[[rule]]\ntoolName = "ui.capture"\ndecision = "deny"\npriority = 900\n[rule.when]\n'
  const ASKED = NO_PICTURES.replace('deny', 'ask_user')
  const colours = async (d: TestDesk, name: string): Promise<number> => {
    const { x, y, w, h } = placeIn(await asOp(d, 'ui.query', { selector: `name="${name}"` }))
    const whole = (await d.session.call({ tool: 'ui.capture', kind: 'capture', args: { format: 'raw' }, principal: AGENT })).data as Frame
    const found = new Set<string>()
    for (let row = Math.ceil(y); row < y + h; row++)
      for (let column = Math.ceil(x); column < x + w; column++) {
        const at = (row * whole.width + column) * 4
        found.add(whole.data.slice(at, at + 3).join())
      }
    return found.size
  }

  test.each([
    ['application', 'app = "virtual:vault"'],
    ['window', 'window = "Vault"'],
    ['process', 'process = "virtual:vault"'],
  ])('is black in pictures of the whole screen, by its %s, and its tree stays to be read', async (_, when) => {
    const allowed = await desk({ ui })
    await asOp(allowed, 'ui.click', { target: 'name="MasterKey"' })
    expect(await colours(allowed, 'SECRETBUTTON')).toBeGreaterThan(1)
    const d = await desk({ ui, policy: `${NO_PICTURES}${when}\n` })
    await asOp(d, 'ui.click', { target: 'name="MasterKey"' })
    expect(await colours(d, 'SECRETBUTTON')).toBe(1)
    expect((await d.call('ui.snapshot', { scope: 'desktop' })).text).toContain('SECRETBUTTON')
    const args = { target: 'name="SECRETBUTTON"' }
    const refused = await d.session.call({ tool: 'ui.capture', kind: 'capture', args, principal: AGENT })
    expect(refused).toMatchObject({ error: { code: 'DENIED' } })
  })

  test('is black where a rule asks about it, until a person allows a picture of it alone', async () => {
    const d = await desk({ ui, policy: `${ASKED}app = "virtual:vault"\n` })
    await asOp(d, 'ui.click', { target: 'name="MasterKey"' })
    expect(await colours(d, 'SECRETBUTTON')).toBe(1)
    const args = { target: 'name="SECRETBUTTON"', format: 'raw' }
    const asked = d.session.call({ tool: 'ui.capture', kind: 'capture', args, principal: AGENT })
    await expect.poll(() => d.session.approvals.list()).toHaveLength(1)
    await d.session.invoke('approvals.answer', { id: d.session.approvals.list()[0]!.id, allow: true, scope: 'once' }, OPERATOR)
    const { data, width } = (await asked).data as Frame
    expect(
      new Set(Array.from({ length: width }, (_, i) => data.slice((width * 10 + i) * 4, (width * 10 + i) * 4 + 3).join())).size,
    ).toBeGreaterThan(1)
    expect(await colours(d, 'SECRETBUTTON')).toBe(1)
  })

  test('is black in the stream of frames too', async () => {
    const d = await desk({ ui, policy: `${NO_PICTURES}app = "virtual:vault"\n` })
    for await (const [first] of d.session.frames({ principal: AGENT })) {
      expect(first?.masked.length).toBeGreaterThan(0)
      break
    }
  })
})

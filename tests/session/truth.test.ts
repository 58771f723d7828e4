import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Act, Driver, Observe } from '@deskhand/core/driver'
import { AGENT, desk, element, OPERATOR, placeIn, window } from '../support/desk.ts'
import { evaluate } from '../../packages/core/src/session/verify/conditions.ts'
import { DeskhandError } from '@deskhand/core/errors'
import { openVirtual } from '@deskhand/driver-virtual'

/** A driver that carries out its steps in another way. */
const acting = ({ observe, act, close }: Driver, step: Act['step']): Driver => ({
  observe,
  act: {
    take: (ttlMs, ctx) => act.take(ttlMs, ctx),
    step,
    reply: (id, result, ctx) => act.reply(id, result, ctx),
    drop: (lease) => act.drop(lease),
    stop: () => act.stop(),
  },
  close,
})
const app = { windows: [window('App', [element('button', 'Dead'), element('text_field', 'Name'), element('label', 'Other')])] }

describe('sent and effect', () => {
  test('a pixel is clicked under the modifiers that were asked for, and they come up again', async () => {
    const driver = openVirtual({ ui: app })
    const events: string[] = []
    const noting = acting(driver, (lease, step, guard, ctx) => {
      if (step.do === 'keys' || step.do === 'pointer')
        events.push(...step.events.map((e) => `${e.type} ${'key' in e ? e.key : 'button' in e ? e.button : ''}`.trim()))
      return driver.act.step(lease, step, guard, ctx)
    })
    const { call } = await desk({ ui: app, ports: { driver: noting } })
    const { x, y } = placeIn(await call('ui.query', { selector: 'name="Dead"' }))
    expect((await call('ui.click_xy', { x: x + 2, y: y + 2, modifiers: ['Control', 'Shift'] })).status).toBe('success')
    expect(events).toEqual(['down Control', 'down Shift', 'move', 'down left', 'up left', 'up Shift', 'up Control'])
  })
  test('cancel in the middle of typing does not say that nothing was sent', async () => {
    const driver = openVirtual({ ui: app })
    let typed = 0
    // A slow text step: half is delivered, then the abort arrives, as the Linux driver does it.
    const slow = acting(driver, async (lease, step, guard, ctx) => {
      if (step.do !== 'text') return driver.act.step(lease, step, guard, ctx)
      await driver.act.step(lease, { ...step, text: step.text.slice(0, 3) }, guard, ctx)
      typed = 3
      await new Promise((r) => ctx.signal.addEventListener('abort', r))
      return { sent: 'partial', units: 3, via: 'keys', held: [] }
    })
    const d = await desk({ ui: app, ports: { driver: slow } })
    d.session.info.can['step:setText'] = { ok: false, reason: 'test' }
    const op = d.session.start({ tool: 'ui.type', kind: 'type', args: { target: 'name="Name"', text: 'abcdef' }, principal: AGENT })
    while (typed === 0 && op.state !== 'done') await sleep(5)
    await d.session.invoke('stop', {}, OPERATOR)
    const r = await op.result
    expect(r.sent).not.toBe('none')
  })
  test('the same, cancelled while verifying: everything was sent', async () => {
    const d = await desk({ ui: app })
    const op = d.session.start({
      tool: 'ui.click',
      kind: 'click',
      args: { target: 'name="Dead"', verify: { text: 'never' } },
      principal: AGENT,
    })
    await sleep(300)
    d.session.operations.cancel(op.id, AGENT)
    const r = await op.result
    expect(r.sent).toBe('all')
  })
  test('a driver that fails after the click: sent is told', async () => {
    const driver = openVirtual({ ui: app })
    let after = false
    const clicking = acting(driver, async (...step) => {
      const sent = await driver.act.step(...step)
      after = true
      return sent
    })
    const changes: Observe['changes'] = async (...asked) => {
      if (after) throw new DeskhandError('DRIVER_DEAD', 'gone')
      return driver.observe.changes(...asked)
    }
    const bad: Driver = { ...clicking, observe: { ...driver.observe, changes } }
    const d = await desk({ ui: app, ports: { driver: bad } })
    const r = await d.call('ui.click', { target: 'name="Dead"' })
    expect(r.sent).not.toBe('none')
  })
  test('verify changed on ANOTHER element is not confirmed by a dead button', async () => {
    const d = await desk({ ui: app })
    const r = await d.call('ui.click', { target: 'name="Dead"', verify: { uiState: { target: 'name="Other"', changed: true } } })
    expect(r.effect).not.toBe('confirmed')
  })
  test('wait for changed is not true at once', async () => {
    const d = await desk({ ui: app })
    const r = await d.call('ui.wait', { until: { uiState: { target: 'name="Other"', changed: true } }, timeoutMs: 50 })
    expect(r.status).toBe('error')
  })
  test('not() on an incomplete tree is unknown', () => {
    const scene = { tree: { roots: [], completeness: { complete: false, reasons: [] } }, found: new Map() }
    const got = [
      evaluate({ not: { text: 'X' } }, scene),
      evaluate({ not: { window: { title: 'X' } } }, scene),
      evaluate({ not: { uiState: { target: { selector: 'x' } } } }, scene),
    ]
    for (const g of got) expect(g.holds).toBe('unknown')
  })
  test('a launch whose pid nobody knows is not confirmed', async () => {
    const ui = { windows: [window('App', [element('button', 'Dead')])], apps: { calc: [window('Calc', [])] } }
    const driver = openVirtual({ ui })
    const noop = acting(driver, async (lease, step, guard, ctx) =>
      step.do === 'launch' ? { sent: 'all', units: 1, via: 'launch', held: [] } : driver.act.step(lease, step, guard, ctx),
    )
    const d = await desk({ ui, ports: { driver: noop } })
    const r = await d.call('desktop.launch', { app: 'calc' })
    expect(r.effect).not.toBe('confirmed')
  })
  test('a call with the same callId on a composed tool is carried out once', async () => {
    const ui = { windows: [window('App', [element('checkbox', 'Agree', { value: false })])] }
    const d = await desk({ ui })
    const b = placeIn(await d.call('ui.query', { selector: 'name="Agree"' }))
    const at = { x: Math.floor(b.x + 8), y: Math.floor(b.y + b.h / 2) }
    await d.call('gui_click', at, { callId: 'one' })
    await d.call('gui_click', at, { callId: 'one' })
    const n = (await d.journal()).filter((e) => e.type === 'acting').length
    expect(n).toBe(1)
  })
  test('a rehearsal of a composed tool does not claim success', async () => {
    const d = await desk({ ui: app })
    const r = await d.call('gui_click', { x: 100, y: 100 }, { dryRun: true })
    expect(r.data).not.toMatchObject({ success: true })
  })
  test('an approval that expires in 30 days does not expire at once', async () => {
    const d = await desk({
      ui: app,
      policy: '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 900\n',
      ports: { approver: { expiryMs: 30 * 86_400_000 } },
    })
    const r = await d.call('ui.click', { target: 'name="Dead"' }, { waitMs: 300 })
    expect(r.error?.code).toBe('APPROVAL_PENDING')
  })
  test('a very long wait waits', async () => {
    const d = await desk({ ui: app, policy: '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 900\n' })
    const r = await Promise.race([d.call('ui.click', { target: 'name="Dead"' }, { waitMs: 3e9 }), sleep(700)])
    expect(r).toBe(undefined)
  })
})

test('a condition on an id holds for the element under its new name, while an action on it asks for a new look', async () => {
  const on = { click: [{ do: 'set', element: 'go', label_text: 'Stop' }] }
  const d = await desk({ ui: [window('W', [{ ...element('button', 'Start'), element_id: 'go', attributes: { on } }])] })
  const id = /(e\d+) button/.exec((await d.call('ui.snapshot')).text ?? '')?.[1]
  const verify = { uiState: { target: id, name: 'Stop' } }
  const renamed = await d.call('ui.click', { target: id, verify }, { changes: false })
  expect(renamed).toMatchObject({ status: 'success', effect: 'confirmed', verification: { passed: true } })
  expect(await d.call('ui.assert', { condition: { uiState: { target: id, name: 'Stop' } } })).toMatchObject({ status: 'success' })
  expect(await d.call('ui.click', { target: id })).toMatchObject({ error: { code: 'STALE_REF' } })
  await d.session.close()
})

describe('what an answer says of keys, menus and conditions', () => {
  test('a text that no window would get is refused, and the next step says how to get one', async () => {
    const d = await desk({ ui: { windows: [] } })
    const refused = await d.call('ui.type', { text: 'lost' })
    expect(refused).toMatchObject({ status: 'error', sent: 'none', error: { code: 'NOT_ACTIONABLE' } })
    expect(refused.error?.next).toMatch(/activate/)
  })
  test('keys say what gets the next one, without its value', async () => {
    const ui = { windows: [window('App', [element('text_field', 'One', { value: 'secret words' }), element('text_field', 'Two')])] }
    const d = await desk({ ui })
    await d.call('ui.focus', { target: 'name="One"' })
    const tabbed = await d.call('ui.key', { keys: 'Tab' })
    expect(tabbed).toMatchObject({
      resolvedTarget: { name: 'One' },
      text: expect.stringMatching(/^The next key goes to e\d+ textbox "Two"\.$/) as string,
    })
    expect((await d.call('ui.key', { keys: 'shift+Tab' })).text).not.toContain('secret')
  })
  test('an entry of a closed menu names the menu to open', async () => {
    const menu = element('menu', 'File', { children: [element('menuitem', 'Save')] })
    const d = await desk({ ui: { windows: [window('App', [element('menubar', 'Bar', { children: [menu] })])] } })
    const refused = await d.call('ui.click', { target: 'role=menuitem && name="Save"', timeoutMs: 50 })
    expect(refused.error).toMatchObject({ code: 'NOT_ACTIONABLE', message: expect.stringContaining('menu "File"') as string })
    expect(refused.error?.next).toBe('Open it first: click menu "File"; or ui.menu with path ["File","Save"] does it.')
  })
  test('a miss whose nearest is an entry of a closed menu says the call that reaches it', async () => {
    const menu = element('menu', 'File', { children: [element('menuitem', 'Save As…')] })
    const d = await desk({ ui: { windows: [window('App', [element('menubar', 'Bar', { children: [menu] })])] } })
    const { error } = await d.call('ui.click', { target: 'role=menuitem && name="Save as"', timeoutMs: 0 })
    expect(error).toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining('which is hidden and fails') as string })
    expect(error?.next).toBe('If the nearest is meant: ui.menu with path ["File","Save As…"] does it.')
  })
  test('a verify that names two elements anywhere in it is found out before anything is sent', async () => {
    const ui = {
      windows: [window('App', [element('button', 'Go'), element('label', 'Same'), element('label', 'Same', { element_id: 'b' })])],
    }
    const d = await desk({ ui })
    const twice = { uiState: { target: 'name="Same"', visible: true } }
    for (const verify of [{ any: [{ text: 'Go' }, twice] }, { not: twice }])
      expect(await d.call('ui.click', { target: 'name="Go"', verify })).toMatchObject({ sent: 'none', error: { code: 'AMBIGUOUS_TARGET' } })
  })
  test('what a condition quotes of a text that is not to be kept is not in the journal', async () => {
    const d = await desk({ ui: app })
    const verify = { uiState: { value: 'something else' } }
    const typed = await d.call('ui.type', { target: 'name="Name"', text: 'canary-three', redactInLogs: true, verify })
    expect(typed.error?.code).toBe('VERIFY_FAILED')
    expect(JSON.stringify(await d.journal())).not.toContain('canary-three')
  })
  test('a click on an option that no pointer reaches chooses it', async () => {
    const list = element('listbox', 'Colours', { attributes: { options: ['red', 'green'] } })
    const ui = { windows: [window('App', [list])] }
    const driver = openVirtual({ ui })
    const steps: string[] = []
    const noting = acting(driver, (lease, step, guard, ctx) => {
      steps.push(step.do)
      return driver.act.step(lease, step, guard, ctx)
    })
    const d = await desk({ ui, ports: { driver: noting } })
    d.session.info.can['step:pointer'] = { ok: false, reason: 'test' }
    const { data } = await d.call('ui.query', { selector: 'role=option' })
    expect(data).toMatchObject({ count: 2 })
    expect(await d.call('ui.click', { target: 'role=option && name="green"' })).toMatchObject({ status: 'success', effect: 'confirmed' })
    expect(steps).toContain('select')
    expect(steps).not.toContain('press')
  })
})

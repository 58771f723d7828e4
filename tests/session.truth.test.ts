/* oxlint-disable typescript/no-explicit-any */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { AGENT, desk, element, OPERATOR, window } from './desk.ts'
import { judge } from '../packages/core/src/session/judge.ts'
import { DeskhandError } from '@deskhand/core/errors'
import { openVirtual } from '@deskhand/driver-virtual'
/** The driver with some methods of its halves replaced. */
const half = <T extends object>(real: T, own: Partial<Record<string, unknown>>): T =>
  new Proxy(real, { get: (t, k) => own[k as string] ?? (typeof (t as any)[k] === 'function' ? (t as any)[k].bind(t) : (t as any)[k]) })
const app = { windows: [window('App', [element('button', 'Dead'), element('text_field', 'Name'), element('label', 'Other')])] }

describe('sent and effect', () => {
  test('cancel in the middle of typing does not say that nothing was sent', async () => {
    const driver = openVirtual({ ui: app })
    const step = driver.act.step
    let typed = 0
    // A slow text step: half is delivered, then the abort arrives, as the Linux driver does it.
    const slow = {
      observe: driver.observe,
      close: () => driver.close(),
      act: half(driver.act, {
        step: async (l: any, s: any, g: any, ctx: any) => {
          if (s.do !== 'text') return step.call(driver.act, l, s, g, ctx)
          await step.call(driver.act, l, { ...s, text: s.text.slice(0, 3) }, g, ctx)
          typed = 3
          await new Promise((r) => ctx.signal.addEventListener('abort', r))
          return { sent: 'partial', units: 3, via: 'keys', held: [] }
        },
      }),
    } as any
    const d = await desk({ ui: app, ports: { driver: slow } })
    d.session.info.can['step:setText'] = { ok: false, reason: 'test' }
    const op = d.session.start({ tool: 'ui.type', kind: 'type', args: { target: 'name="Name"', text: 'abcdef' }, principal: AGENT })
    while (typed === 0 && op.state !== 'done') await sleep(5)
    await d.session.stop(OPERATOR)
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
    const step = driver.act.step
    const bad = {
      close: () => driver.close(),
      act: half(driver.act, {
        step: async (...a: any[]) => {
          const r = await (step as any).apply(driver.act, a)
          after = true
          return r
        },
      }),
      observe: {
        ...driver.observe,
        changes: async (...a: any[]) => {
          if (after) throw new DeskhandError('DRIVER_DEAD', 'gone')
          return (driver.observe.changes as any)(...a)
        },
      },
    } as any
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
    const scene = { tree: { roots: [], completeness: { complete: false, reasons: [] } }, find: () => [] }
    const got = [
      judge({ not: { text: 'X' } }, scene),
      judge({ not: { window: { title: 'X' } } }, scene),
      judge({ not: { uiState: { target: { selector: 'x' } } } }, scene),
    ]
    for (const g of got) expect(g.holds).toBe('unknown')
  })
  test('a launch whose pid nobody knows is not confirmed', async () => {
    const ui = { windows: [window('App', [element('button', 'Dead')])], apps: { calc: [window('Calc', [])] } }
    const driver = openVirtual({ ui })
    const step = driver.act.step
    const noop = {
      observe: driver.observe,
      close: () => driver.close(),
      act: half(driver.act, {
        step: async (...a: any[]) =>
          a[1].do === 'launch' ? { sent: 'all', units: 1, via: 'launch', held: [] } : (step as any).apply(driver.act, a),
      }),
    } as any
    const d = await desk({ ui, ports: { driver: noop } })
    const r = await d.call('desktop.launch', { app: 'calc' })
    expect(r.effect).not.toBe('confirmed')
  })
  test('a call with the same callId on a composed tool is carried out once', async () => {
    const ui = { windows: [window('App', [element('checkbox', 'Agree', { value: false })])] }
    const d = await desk({ ui, ports: { encode: async () => new Uint8Array() } })
    const q = await d.call('ui.query', { selector: 'name="Agree"' })
    const b = (q.data as any).matches[0].bounds
    const at = { x: Math.floor(b.x + 8), y: Math.floor(b.y + b.h / 2) }
    await d.call('gui_click', at, { callId: 'one' })
    await d.call('gui_click', at, { callId: 'one' })
    const n = (await d.journal()).filter((e) => e.type === 'acting').length
    expect(n).toBe(1)
  })
  test('a rehearsal of a composed tool does not claim success', async () => {
    const d = await desk({ ui: app, ports: { encode: async () => new Uint8Array() } })
    const r = await d.call('gui_click', { x: 100, y: 100 }, { dryRun: true })
    expect((r.data as any).success).not.toBe(true)
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

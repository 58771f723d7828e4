import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { AGENT, desk, element, OPERATOR, placeIn, window } from '../support/desk.ts'
import { dispatch } from '../../packages/deskhand/src/tools/dispatch.ts'
import { LiveTree } from '../../packages/core/src/session/see/live-tree.ts'
import { supervise, within, type Change, type Driver, type Frame, type HostedDriver, type Observe } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import type { FlatNode } from '@deskhand/core/model'
import { openVirtual } from '@deskhand/driver-virtual'

/** What the tree does not ask for is asked of an empty desktop. */
const idle = openVirtual({ ui: [] }).observe
const ASK = (t: string) => `[[rule]]\ntoolName = "${t}"\ndecision = "ask_user"\npriority = 900\n`
const COMPLETE = { complete: true, reasons: [] }
const node = (key: string, parent: string | undefined, name: string, index = 0): FlatNode => ({
  key,
  parent,
  index,
  role: parent ? 'button' : 'window',
  name,
  app: 'a',
})
const on = (click: unknown[]): Record<string, unknown> => ({ attributes: { on: { click } } })

describe('tree', () => {
  test('a re-read that fails once does not lose the change for good', async () => {
    let read = 0
    let truth = 'old'
    const observe: Observe = {
      ...idle,
      read: async () => {
        if (++read === 2) throw new Error('the application hangs')
        return {
          cursor: 'c',
          nodes: [node('w', undefined, 'W'), node('b', 'w', truth)],
          apps: [{ id: 'a', name: 'a' }],
          completeness: COMPLETE,
        }
      },
      changes: async (since: string) =>
        since === 'c' ? { cursor: 'c2', changes: [{ type: 'dirty', root: 'w' }] } : { cursor: since, changes: [] },
    }
    const tree = new LiveTree(observe)
    await tree.sync()
    truth = 'new'
    await tree.sync().catch(() => {})
    await tree.sync()
    expect(tree.node('b')?.name).toBe('new')
  })
  test('sync while a waiter re-reads: gone stays gone, and sync is current', async () => {
    let release = (): void => {}
    let reads = 0
    const log: Change[][] = [[{ type: 'dirty', root: 'w' }], [{ type: 'gone', key: 'b' }]]
    const observe: Observe = {
      ...idle,
      read: async () => {
        const part = {
          cursor: '0',
          nodes: [node('w', undefined, 'W'), node('b', 'w', 'B')],
          apps: [{ id: 'a', name: 'a' }],
          completeness: COMPLETE,
        }
        if (++reads === 2) await new Promise<void>((r) => (release = r))
        return part
      },
      changes: async (since: string) => {
        const n = Number(since)
        return log[n] ? { cursor: String(n + 1), changes: log[n] } : { cursor: since, changes: [] }
      },
    }
    const tree = new LiveTree(observe)
    await tree.sync()
    const waiting = tree.changed(1000, new AbortController().signal)
    await sleep(5)
    const synced = tree.sync()
    await sleep(5)
    release()
    await Promise.all([waiting, synced])
    expect(tree.node('b')).toBeUndefined()
  })
})

describe('act on something else than what was decided', () => {
  const base = window('App', [element('button', 'Ok')])
  test('raw pointer events, approved for one button, do not press another one that came to lie over it', async () => {
    const pop = {
      ...window('Pop', [element('button', 'Pay', on([{ do: 'set', element: 'button_pay', label_text: 'PAID' }]))]),
      is_visible: false,
      bounds_relative: [0, 0, 0.5, 0.5],
    }
    const ui = {
      windows: [
        { ...base, bounds_relative: [0, 0, 0.5, 0.5] },
        {
          ...window('Side', [element('button', 'Open', on([{ do: 'open', element: 'pop' }]))]),
          bounds_relative: [0.6, 0.6, 0.3, 0.3],
        },
        pop,
      ],
    }
    const d = await desk({ ui, policy: ASK('raw') })
    const b = placeIn(await d.call('ui.query', { selector: 'name="Ok"' }))
    const op = d.session.start({
      tool: 'raw',
      kind: 'pointer',
      args: {
        events: [
          { type: 'move', x: b.x + 4, y: b.y + 4 },
          { type: 'down', button: 'left' },
          { type: 'up', button: 'left' },
        ],
      },
      principal: AGENT,
    })
    await sleep(50)
    const [a] = d.session.approvals.list()
    expect(a?.targets[0]?.name).toBe('Ok')
    await d.call('ui.click', { target: 'name="Open"' })
    await d.session.invoke('approvals.answer', { id: a!.id, allow: true, scope: 'once' }, OPERATOR)
    await op.result
    expect(JSON.stringify(d.driver.describe())).not.toContain('PAID')
  })
  test('a click on the empty desktop, approved, does not hit a window that opened there', async () => {
    const pop = {
      ...window('Pop', [element('button', 'Pay', on([{ do: 'set', element: 'button_pay', label_text: 'PAID' }]))]),
      is_visible: false,
      bounds_relative: [0.6, 0.6, 0.3, 0.3],
    }
    const ui = {
      windows: [
        { ...window('App', [element('button', 'Open', on([{ do: 'open', element: 'pop' }]))]), bounds_relative: [0, 0, 0.4, 0.4] },
        pop,
      ],
    }
    const d = await desk({ ui, policy: ASK('ui.click_xy') })
    // where will Pay be?
    const o = await desk({ ui })
    await o.call('ui.click', { target: 'name="Open"' })
    const b = placeIn(await o.call('ui.query', { selector: 'name="Pay"' }))
    const op = d.session.start({ tool: 'ui.click_xy', kind: 'click_xy', args: { x: b.x + 5, y: b.y + 5 }, principal: AGENT })
    await sleep(50)
    const [a] = d.session.approvals.list()
    await d.call('ui.click', { target: 'name="Open"' })
    await d.session.invoke('approvals.answer', { id: a!.id, allow: true, scope: 'once' }, OPERATOR)
    await op.result
    expect(JSON.stringify(d.driver.describe())).not.toContain('PAID')
  })
  test('typing without a target, approved for one field, does not go into another that got the focus since', async () => {
    const ui = {
      windows: [
        window('App', [
          element('text_field', 'Note'),
          element('button', 'Go', on([{ do: 'focus', element: 'text_field_pin' }])),
          element('text_field', 'Pin'),
        ]),
      ],
    }
    const d = await desk({ ui, policy: ASK('ui.type') })
    await d.call('ui.click', { target: 'name="Note"' })
    const op = d.session.start({ tool: 'ui.type', kind: 'type', args: { text: 'zzz' }, principal: AGENT })
    await sleep(30)
    const [a] = d.session.approvals.list()
    await d.call('ui.click', { target: 'name="Go"' })
    await d.session.invoke('approvals.answer', { id: a!.id, allow: true, scope: 'once' }, OPERATOR).catch(() => {})
    const r = await op.result
    expect(r.sent).toBe('none')
    expect(JSON.stringify(d.driver.describe())).not.toContain('zzz')
  })
  test('a mode that was lowered while a person was asked holds', async () => {
    const d = await desk({ ui: { windows: [base] }, policy: ASK('ui.click'), ports: { desktop: 'host', mode: 'allow_actual_input_full' } })
    const op = d.session.start({ tool: 'ui.click', kind: 'click', args: { target: 'name="Ok"' }, principal: AGENT })
    await sleep(50)
    const [a] = d.session.approvals.list()
    await d.session.invoke('mode', { mode: 'simulation_only' }, OPERATOR)
    await d.session.invoke('approvals.answer', { id: a!.id, allow: true, scope: 'once' }, OPERATOR)
    const r = await op.result
    expect(r.sent).toBe('none')
  })
  test('capture with a target and a region elsewhere is judged by what it shows', async () => {
    const DENYW =
      '[[rule]]\ntoolName = "ui.capture"\ndecision = "deny"\npriority = 800\n[[rule]]\ntoolName = "ui.capture"\ndecision = "allow"\npriority = 900\n[rule.when]\nname = "Ok"\n'
    const d = await desk({ ui: { windows: [base] }, policy: DENYW })
    await d.session.call({ tool: 'ui.capture', kind: 'capture', args: {}, principal: AGENT })
    const r = await d.session.call({
      tool: 'ui.capture',
      kind: 'capture',
      args: { target: 'name="Ok"', region: { x: 0, y: 0, w: 1000, h: 700 } },
      principal: AGENT,
    })
    expect(r.status).toBe('error')
  })
  test('a screenshot that a person allowed is masked by what is on the screen now', async () => {
    const DENY = '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 950\n[rule.when]\napp = "virtual:vault"\n'
    const vault = { ...window('Vault', [element('label', 'SECRET')]), is_visible: false, bounds_relative: [0.6, 0.6, 0.3, 0.3] }
    const ui = {
      windows: [
        {
          ...window('App', [element('button', 'Open', on([{ do: 'open', element: 'vault' }]))]),
          bounds_relative: [0, 0, 0.4, 0.4],
        },
        vault,
      ],
    }
    const d = await desk({ ui, policy: DENY + ASK('ui.capture') })
    const op = d.session.start({ tool: 'ui.capture', kind: 'capture', args: { format: 'raw' }, principal: AGENT })
    await sleep(50)
    const [a] = d.session.approvals.list()
    // A person opens it: nothing of ours syncs the tree.
    const b = (await d.driver.observe.read({}, { signal: new AbortController().signal, deadlineMs: 1000 })).nodes.find(
      (n) => n.name === 'Open',
    )!.bounds!
    d.driver.human({
      do: 'pointer',
      events: [
        { type: 'move', x: b.x + 5, y: b.y + 5 },
        { type: 'down', button: 'left' },
        { type: 'up', button: 'left' },
      ],
    })
    const v = (await d.driver.observe.read({}, { signal: new AbortController().signal, deadlineMs: 1000 })).nodes.find(
      (n) => n.name === 'SECRET',
    )!.bounds!
    await d.session.invoke('approvals.answer', { id: a!.id, allow: true, scope: 'once' }, OPERATOR)
    const r = await op.result
    expect(r.status).toBe('success')
    const f = r.data as Frame
    const colours = new Set<string>()
    for (let yy = Math.floor(v.y); yy < v.y + v.h; yy++)
      for (let xx = Math.floor(v.x); xx < v.x + v.w; xx++) {
        const i = 4 * (yy * f.width + xx)
        colours.add(f.data.slice(i, i + 3).join())
      }
    expect(colours.size).toBe(1)
  })
  test('an id means what THIS agent was shown, whoever looked since', async () => {
    const ui = {
      windows: [
        window('App', [
          element('button', 'Keep', {}),
          element('button', 'Flip', on([{ do: 'set', element: 'button_keep', label_text: 'Delete all' }])),
        ]),
      ],
    }
    const d = await desk({ ui })
    const s = await d.call('ui.snapshot')
    const id = /(e\d+) button "Keep"/.exec(s.text!)![1]
    await d.call('ui.click', { target: 'name="Flip"' }, { changes: false })
    await dispatch({ session: d.session }, { id: 'bob', role: 'agent' }, 'ui.snapshot', {}, {})
    const r = await d.call('ui.click', { target: { elementId: id, snapshotId: s.evidence?.snapshotId } })
    expect(r.error?.code).toBe('STALE_REF')
  })
  test('delayed code of the desktop runs in the name of who set it off', async () => {
    const ran: unknown[] = []
    const ui = {
      windows: [
        window('App', [
          element('text_area', 'Ed', { element_id: 'ed', value: 'print(1)' }),
          element('button', 'Later', on([{ do: 'after', ms: 300, then: [{ do: 'run_code', from: 'ed' }] }])),
          element('button', 'Ok'),
        ]),
      ],
    }
    const d = await desk({
      ui,
      policy: '[[rule]]\ntoolName = "code.run"\ndecision = "ask_user"\npriority = 900\n',
      ports: { code: { run: async (j) => (ran.push(j.code), { data: {} }) } },
    })
    d.session.info.can.push = { ok: false, reason: 'so that the simulated clock does not run ahead' }
    await d.call('ui.click', { target: 'name="Later"' })
    d.session.info.can.push = { ok: true }
    await dispatch({ session: d.session }, OPERATOR, 'ui.click', { target: 'name="Ok"' }, {})
    await d.call('ui.wait', { until: { text: 'nothing of the kind' }, timeoutMs: 1000 })
    await sleep(100)
    expect(ran).toEqual([])
  })
})

describe('processes and leases', () => {
  test('closing a supervised driver while its host is started anew leaves no host behind', async () => {
    const made: { closed: boolean; die(why: DeskhandError): void }[] = []
    const start = async (): Promise<HostedDriver> => {
      const driver = openVirtual({ ui: [] })
      const host = { closed: false, die: (_why: DeskhandError): void => {} }
      const died = new Promise<DeskhandError>((resolve) => (host.die = resolve))
      await sleep(100)
      made.push(host)
      const info = await driver.observe.info(within(1_000))
      return { observe: driver.observe, act: driver.act, pid: 0, info, died, close: async () => void (host.closed = true) }
    }
    const s = await supervise(start)
    made[0]?.die(new DeskhandError('DRIVER_DEAD', 'dead'))
    await sleep(80)
    await s.driver.close()
    await sleep(300)
    expect(made.every((h, i) => i === 0 || h.closed)).toBe(true)
  })
  test('a host that is still starting is ended by a restart, and what waits for it gets the next one', async () => {
    const made: { ended: AbortSignal; come(): void }[] = []
    let die = (_why: DeskhandError): void => {}
    const start = async (ended: AbortSignal): Promise<HostedDriver> => {
      const number = made.length
      if (number > 0)
        await new Promise<void>((come, fail) => {
          made.push({ ended, come })
          ended.addEventListener('abort', () => fail(new DeskhandError('DRIVER_FAILED', 'it was ended')))
        })
      else made.push({ ended, come: () => {} })
      const { observe, act } = openVirtual({ ui: [] })
      const info = { ...(await observe.info(within(1_000))), name: `host ${number}` }
      const died = new Promise<DeskhandError>((resolve) => (die = resolve))
      return { observe: { ...observe, info: async () => info }, act, pid: 0, info, died, close: async () => {} }
    }
    const { driver, died, restart } = await supervise(start)
    die(new DeskhandError('DRIVER_DEAD', 'dead'))
    await vi.waitFor(() => expect(made).toHaveLength(2), { timeout: 10_000 })
    // Nothing of a host that is not up is held, and stopping waits for none.
    await driver.act.stop()
    const waiting = driver.observe.info(within(60_000))
    await restart()
    expect(made[1]?.ended.aborted).toBe(true)
    await vi.waitFor(() => expect(made).toHaveLength(3), { timeout: 10_000 })
    made[2]?.come()
    expect(await waiting).toMatchObject({ name: 'host 2' })
    expect(await Promise.race([died, Promise.resolve('still in use')])).toBe('still in use')
    await driver.close()
  })
  test('a queued call that is cancelled answers before the one ahead of it is done', async () => {
    const d = await desk({ ui: { windows: [window('App', [element('button', 'Ok')])] } })
    let free = (): void => {}
    const holding = d.session.hold(new AbortController().signal, () => new Promise<void>((r) => (free = r)))
    await sleep(10)
    const op = d.session.start({ tool: 'ui.click', kind: 'click', args: { target: 'name="Ok"' }, principal: AGENT })
    await sleep(50)
    d.session.operations.cancel(op.id, AGENT)
    const r = await Promise.race([op.result, sleep(500)])
    free()
    await holding
    expect(r && r.error?.code).toBe('CANCELLED')
  })
  test('one lease serves call after call, and goes back when nobody uses it', async () => {
    const { driver, taken, dropped } = leasing()
    const { call } = await desk({ ui: [], ports: { driver } })
    for (let i = 0; i < 3; i++) expect((await call('ui.click', { target: 'name="Ok"' })).status).toBe('success')
    expect({ taken: taken(), dropped: dropped() }).toEqual({ taken: 1, dropped: 0 })
    await vi.waitFor(() => expect(dropped()).toBe(1), { timeout: 5_000 })
    expect((await call('ui.click', { target: 'name="Ok"' })).status).toBe('success')
    expect(taken()).toBe(2)
  })
  test('a lease that ended with a stop is not used again, whether somebody held it then or not', async () => {
    const { driver } = leasing()
    const { call, session } = await desk({ ui: [], ports: { driver } })
    await call('ui.click', { target: 'name="Ok"' })
    for (const during of [() => Promise.resolve(), () => call('ui.click', { target: 'name="Ok"' })]) {
      const under = during()
      await session.invoke('stop', {}, OPERATOR)
      await under
      await session.invoke('resume', {}, OPERATOR)
      expect(await call('ui.click', { target: 'name="Ok"' })).toMatchObject({ status: 'success' })
    }
  })
})

/** A simulated desktop that counts its leases. */
function leasing(): { driver: Driver; taken(): number; dropped(): number } {
  const { observe, act, close } = openVirtual({ ui: { windows: [window('App', [element('button', 'Ok')])] } })
  let taken = 0
  let dropped = 0
  const counting: Driver['act'] = {
    take: (ttlMs, ctx) => (taken++, act.take(ttlMs, ctx)),
    step: (lease, step, guard, ctx) => act.step(lease, step, guard, ctx),
    reply: (id, result, ctx) => act.reply(id, result, ctx),
    drop: (lease) => (dropped++, act.drop(lease)),
    stop: () => act.stop(),
  }
  return { driver: { observe, act: counting, close }, taken: () => taken, dropped: () => dropped }
}

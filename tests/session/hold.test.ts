import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import type { Principal, Result } from '@deskhand/core/model'
import { Holds, type HoldLimits } from '../../packages/deskhand/src/sdk/holds.ts'
import { dispatch } from '../../packages/deskhand/src/tools/dispatch.ts'
import { AGENT, desk, element, OPERATOR, window, type TestDesk } from '../support/desk.ts'

const OTHER: Principal = { id: 'other', role: 'agent' }
const LIMITS: HoldLimits = { idleMs: 100, mostMs: 300 }
const later = { attributes: { on: { click: [{ do: 'set', element: 'button_later', is_enabled: true }] } } }
const ui = {
  windows: [
    window('Shop', [element('button', 'Now', later), element('button', 'Later', { is_enabled: false }), element('button', 'Send')]),
  ],
}
const policy = '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 500\nwhen = { name = "Send" }\n'

let d: TestDesk
let end = new AbortController()
const open = async (limits?: HoldLimits): Promise<Holds> => {
  d = await desk({ ui, policy })
  end = new AbortController()
  return new Holds(d.session, limits)
}
afterEach(async () => {
  end.abort()
  await d.session.close()
})

const click = (name: string, who: Principal, holds = new Holds(d.session), hold?: string, waitMs?: number): Promise<Result> =>
  holds.during(hold, who, (lease) =>
    dispatch({ session: d.session }, who, 'ui.click', { target: `name="${name}"`, timeoutMs: 5_000 }, { lease, waitMs }),
  )

describe('who keeps the controls', () => {
  test('keeps others from them, and no longer than a while without a call', async () => {
    const holds = await open(LIMITS)
    const hold = await holds.take(end.signal)
    expect(await click('Now', OTHER)).toMatchObject({ status: 'success' })
    await expect(click('Now', AGENT, holds, hold)).rejects.toThrow('not held any more')
  })

  test('keeps them while a call waits for a person: the time without a call begins behind that', async () => {
    const holds = await open({ idleMs: 100, mostMs: 60_000 })
    const hold = await holds.take(end.signal)
    const { op, error } = await click('Send', AGENT, holds, hold, 0)
    expect(error?.code).toBe('APPROVAL_PENDING')
    await sleep(400)
    const [question] = d.session.approvals.list()
    await d.session.invoke('approvals.answer', { id: question!.id, allow: true, scope: 'once' }, OPERATOR)
    expect(await d.session.operations.wait(op, AGENT, Infinity)).toMatchObject({ status: 'success' })
    expect(await click('Now', AGENT, holds, hold)).toMatchObject({ status: 'success' })
    expect(await click('Now', OTHER)).toMatchObject({ status: 'success' })
    await expect(click('Now', AGENT, holds, hold)).rejects.toThrow('not held any more')
  })

  test('gives them back after a time in all, however many calls come', async () => {
    const holds = await open(LIMITS)
    const hold = await holds.take(end.signal)
    let isOver = false
    const other = click('Now', OTHER).finally(() => (isOver = true))
    const keeping = async (): Promise<void> => {
      while (!isOver) await click('Now', AGENT, holds, hold)
    }
    await expect(keeping()).rejects.toThrow('not held any more')
    expect(await other).toMatchObject({ status: 'success' })
  })

  test('has them once', async () => {
    const holds = await open(LIMITS)
    const both = [holds.take(end.signal), holds.take(end.signal)]
    await expect(both[1]).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    await holds.end(await both[0]!)
    await holds.end(await holds.take(end.signal))
  })

  test('cannot go on with them in a call that began before they were given back', async () => {
    const holds = await open()
    const hold = await holds.take(end.signal)
    const waiting = click('Later', AGENT, holds, hold)
    await holds.end(hold)
    expect(await click('Now', OTHER)).toMatchObject({ status: 'success' })
    expect(await waiting).toMatchObject({ sent: 'none', error: { code: 'LEASE_LOST' } })
    expect(await click('Now', OTHER)).toMatchObject({ status: 'success' })
  })
})

import { setTimeout as sleep } from 'node:timers/promises'
import type { Lease } from '../driver.ts'
import { withDialog } from './acting.ts'
import { type Case, it } from './case.ts'
import { expect } from './expect.ts'
import { type ContractDesk, middle, NotShown } from './contract-desk.ts'

const LOST = { code: 'LEASE_LOST' }
const NOTHING = { sent: 'none', units: 0 }

export const leasing: Case[] = [
  it('only the lease that was taken last can act, and only until it is dropped', ['step:text'], async (desk) => {
    const step = { do: 'text', text: 'x' } as const
    await expect(desk.step('no such lease', step)).rejects.toMatchObject(LOST)
    const lease = await desk.driver.act.take(60_000, desk.ctx)
    await desk.driver.act.drop(lease)
    await expect(desk.step(lease, step)).rejects.toMatchObject(LOST)
    await desk.leased(() => expect(desk.step(lease, step)).rejects.toMatchObject(LOST))
  }),

  it('a semantic step needs the lease as well, and is held back by its guard', ['step:press'], async (desk) => {
    const [count, button, window] = [await desk.count(), await desk.part('button'), desk.window(await desk.nodes())?.key]
    const press = { do: 'press', key: button.key } as const
    await expect(desk.step('no such lease', press)).rejects.toMatchObject(LOST)
    const dropped = await desk.driver.act.take(60_000, desk.ctx)
    await desk.driver.act.drop(dropped)
    await expect(desk.step(dropped, press)).rejects.toMatchObject(LOST)
    await withDialog(desk, async () => {
      const sent = await desk.leased((lease) => desk.step(lease, press, { window }))
      expect(sent).toMatchObject({ ...NOTHING, broken: 'window' })
    })
    expect(await desk.count()).toBe(count)
  }),

  it('a second lease is refused while the first one lives', [], async (desk) => {
    await desk.leased(() => expect(desk.driver.act.take(1000, desk.ctx)).rejects.toMatchObject(LOST))
    await desk.leased(async () => {})
  }),

  it('dropping a lease releases the keys that it held', ['step:keys', 'step:text'], async (desk) => {
    await desk.leased(async (lease) => {
      await desk.empty(lease, 'field')
      expect((await desk.step(lease, { do: 'keys', events: [{ type: 'down', key: 'Shift' }] })).held).toEqual(['Shift'])
    })
    await desk.leased(async (lease) => {
      expect(await held(desk, lease)).toEqual([])
      await desk.step(lease, { do: 'text', text: 'aB' })
    })
    await desk.part('field', (n) => n.value === 'aB')
  }),

  it('dropping a lease releases the button that it held', ['step:pointer'], async (desk) => {
    const at = middle(await desk.part('counter'))
    await desk.leased(async (lease) => {
      const sent = await desk.step(lease, {
        do: 'pointer',
        events: [
          { type: 'move', ...at },
          { type: 'down', button: 'left' },
        ],
      })
      expect(sent).toMatchObject({ sent: 'all', held: ['left'] })
    })
    await desk.leased(async (lease) => {
      expect((await desk.step(lease, { do: 'pointer', events: [{ type: 'move', ...at }] })).held).toEqual([])
    })
  }),

  it('a lease that runs out releases what it held', ['step:keys'], async (desk) => {
    const lease = await desk.driver.act.take(200, desk.ctx)
    await desk.step(lease, { do: 'keys', events: [{ type: 'down', key: 'Shift' }] })
    let next: Lease | undefined
    while (next === undefined) {
      await sleep(50)
      next = await desk.driver.act.take(60_000, desk.ctx).catch(() => undefined)
    }
    try {
      expect(await held(desk, next)).toEqual([])
      await expect(desk.step(lease, { do: 'keys', events: [] })).rejects.toMatchObject(LOST)
    } finally {
      await desk.driver.act.drop(next)
    }
  }),

  it('a stop in the middle of a long text ends it between two characters and takes the lease', ['step:text'], async (desk) => {
    const text = 'the quick brown fox jumps over the lazy dog '.repeat(400)
    const lease = await desk.driver.act.take(60_000, desk.ctx)
    await desk.empty(lease, 'area')
    let done = false
    const typing = desk.step(lease, { do: 'text', text }).finally(() => (done = true))
    await desk.until('the text to begin', (nodes) => done || (desk.find(nodes, 'area')?.value ?? '') !== '' || undefined)
    await desk.driver.act.stop()
    const sent = await typing
    expect(sent).toMatchObject({ sent: 'partial', held: [] })
    expect(sent.units).toBeLessThan(text.length)
    await desk.part('area', (n) => n.value === text.slice(0, sent.units))
    await expect(desk.step(lease, { do: 'text', text: 'x' })).rejects.toMatchObject(LOST)
    await desk.leased((fresh) => desk.empty(fresh, 'area'))
  }),

  it('nothing is sent when another window is active than the guard says', ['step:text'], async (desk) => {
    const window = desk.window(await desk.nodes())?.key
    await withDialog(desk, async () => {
      const sent = await desk.leased((lease) => desk.step(lease, { do: 'text', text: 'x' }, { window }))
      expect(sent).toMatchObject({ ...NOTHING, broken: 'window' })
    })
    await desk.until('the window to be active again', (nodes) => desk.window(nodes)?.states?.active || undefined)
    await desk.leased(async (lease) => {
      await desk.empty(lease, 'field')
      expect(await desk.step(lease, { do: 'text', text: 'x' }, { window })).toMatchObject({ sent: 'all', units: 1 })
    })
  }),

  it('nothing is sent when something else has the focus than the guard says', ['step:text'], async (desk) => {
    const area = await desk.part('area')
    if (area.key === (await desk.part('field')).key) throw new NotShown('there is one text only')
    await desk.leased(async (lease) => {
      const field = await desk.empty(lease, 'field')
      expect(await desk.step(lease, { do: 'text', text: 'wrong' }, { focus: area.key })).toMatchObject({ ...NOTHING, broken: 'focus' })
      expect(await desk.step(lease, { do: 'text', text: 'right' }, { focus: field.key })).toMatchObject({ sent: 'all', units: 5 })
    })
    await desk.part('field', (n) => n.value === 'right')
  }),

  it('nothing is sent when something else lies at the place than the guard says', ['step:pointer', 'hit'], async (desk) => {
    const count = await desk.count()
    const [button, checkbox] = [await desk.part('button'), await desk.part('checkbox')]
    const at = middle(button)
    await desk.leased(async (lease) => {
      expect(await desk.click(lease, at, { hit: { at, key: checkbox.key } })).toMatchObject({ ...NOTHING, broken: 'hit' })
      expect(await desk.click(lease, at, { hit: { at } })).toMatchObject({ ...NOTHING, broken: 'hit' })
      expect(await desk.click(lease, at, { hit: { at, key: button.key } })).toMatchObject({ sent: 'all', units: 3 })
    })
    await desk.part('counter', (n) => n.name === `${desk.fixture.counter}${count + 1}`)
  }),
]

/** What is down, as a step that does nothing tells it. */
async function held(desk: ContractDesk, lease: Lease): Promise<string[]> {
  return (await desk.step(lease, { do: 'keys', events: [] })).held
}

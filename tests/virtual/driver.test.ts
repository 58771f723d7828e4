import { expect, test } from 'vitest'
import { within } from '@deskhand/core/driver'
import { openVirtual } from '@deskhand/driver-virtual'
import { ctx, el, Hand, win } from './kit.ts'

const ui = [win('w', 'W', [el('text_area', 't', 'T'), el('button', 'b', 'B')])]

test('the same file and the same steps give the same desktop, keys and time included', async () => {
  const run = async (): Promise<unknown> => {
    const hand = new Hand(ui, { epoch: 'same' })
    const { cursor: start } = await hand.driver.observe.read({}, ctx)
    await hand.click('t')
    await hand.type('hello')
    await hand.press('Tab')
    const { cursor: end, ...tree } = await hand.driver.observe.read({}, ctx)
    return [
      tree,
      // Places in a log are of one driver only.
      { ...(await hand.driver.observe.changes(start, 0, ctx)), cursor: end.split('/')[1] },
      await hand.driver.observe.info(ctx),
      hand.driver.state(),
    ]
  }
  expect(await run()).toEqual(await run())
})

test('with a lease that ended no step runs, and what it held is released', async () => {
  const { act, observe } = openVirtual({ ui })
  const lease = await act.take(20, ctx)
  expect((await act.step(lease, { do: 'keys', events: [{ type: 'down', key: 'Shift' }] }, {}, ctx)).held).toEqual(['Shift'])
  await expect(act.take(1000, ctx)).rejects.toMatchObject({ code: 'LEASE_LOST' })
  await new Promise((resolve) => setTimeout(resolve, 60))
  await expect(act.step(lease, { do: 'keys', events: [] }, {}, ctx)).rejects.toMatchObject({ code: 'LEASE_LOST' })
  const next = await act.take(1000, ctx)
  expect((await act.step(next, { do: 'keys', events: [] }, {}, ctx)).held).toEqual([])
  await act.drop('not mine')
  await act.drop(next)
  await act.stop()
  expect((await observe.screens(ctx)).length).toBe(1)
})

test('two long texts on one lease never mix', async () => {
  const hand = new Hand(ui)
  await hand.click('t')
  await Promise.all([hand.type('a'.repeat(300)), hand.type('b'.repeat(300))])
  expect(await hand.value('t')).toBe('a'.repeat(300) + 'b'.repeat(300))
})

test('a guard that breaks in the middle of a long text ends it', async () => {
  const hand = new Hand([win('w', 'W', [el('text_area', 't', 'T', { attributes: { on: { focus: [] } } }), el('text_area', 'u', 'U')])])
  await hand.click('t')
  const typing = hand.step({ do: 'text', text: 'x'.repeat(5000) }, { focus: hand.key('t') })
  await new Promise((resolve) => setImmediate(resolve))
  hand.driver.human({
    do: 'keys',
    events: [
      { type: 'down', key: 'Tab' },
      { type: 'up', key: 'Tab' },
    ],
  })
  const sent = await typing
  expect(sent).toMatchObject({ sent: 'partial', broken: 'focus' })
  expect(await hand.value('t')).toBe('x'.repeat(sent.units))
  expect(await hand.value('u')).toBe('')
})

test('a cancelled or overdue step ends between two events', async () => {
  const hand = new Hand(ui)
  await hand.click('t')
  const lease = 'lease-1'
  const stop = new AbortController()
  const typing = hand.driver.act.step(lease, { do: 'text', text: 'x'.repeat(5000) }, {}, within(10_000, stop.signal))
  await new Promise((resolve) => setImmediate(resolve))
  stop.abort()
  expect((await typing).sent).toBe('partial')
  expect((await hand.driver.act.step(lease, { do: 'text', text: 'y'.repeat(500_000) }, {}, within(5))).sent).toBe('partial')
})

test('a person at the controls is told of, and needs no lease', async () => {
  const hand = new Hand(ui)
  const { cursor } = await hand.driver.observe.watch('input', undefined, 0, ctx)
  hand.driver.human({
    do: 'pointer',
    events: [
      { type: 'move', ...(await hand.at('b')) },
      { type: 'down', button: 'left' },
      { type: 'up', button: 'left' },
    ],
  })
  expect(await hand.driver.observe.watch('input', cursor, 60_000, ctx)).toMatchObject({
    human: { moves: 1, buttons: 2, keys: 0 },
    at: await hand.at('b'),
  })
  expect(hand.focused()).toBe('b')
})

test('old cursors are answered with reset, and open requests are told again', async () => {
  const hand = new Hand([
    win('w', 'W', [el('text_area', 'code_editor', 'Code'), el('button', 'run_code_button', 'Run'), el('check_box', 'c', 'C')]),
  ])
  await hand.click('run_code_button')
  const key = hand.key('c')
  const { cursor: first } = await hand.driver.observe.read({ maxNodes: 1 }, ctx)
  for (let i = 0; i < 21_000; i++) await hand.step({ do: 'press', key })
  expect(await hand.driver.observe.changes(first, 0, ctx)).toEqual({ reset: true })
  const { cursor } = await hand.driver.observe.read({ maxNodes: 1 }, ctx)
  const [log = '', place] = cursor.split('/')
  expect(Number(place)).toBeGreaterThan(20_000)
  const again = await hand.driver.observe.changes(`${log}/${Number(place) - 1}`, 0, ctx)
  expect(again).toMatchObject({ changes: [{ type: 'host', request: { id: 'run-1' } }] })
})

test('loading another interface replaces the first one, and a bad one changes nothing', async () => {
  const hand = new Hand(ui)
  const old = hand.key('b')
  expect(() => hand.driver.load([{ element_id: 'x' }])).toThrow(expect.objectContaining({ code: 'BAD_UI_FILE' }) as Error)
  expect(hand.key('b')).toBe(old)
  hand.driver.load([el('button', 'b', 'Other')])
  expect(hand.key('b')).not.toBe(old)
  expect(await hand.driver.observe.check([old], ctx)).toEqual([null])
  await expect(hand.step({ do: 'press', key: old })).rejects.toMatchObject({ code: 'STALE_REF' })
})

test('elements without a window lie on one that covers the screen', async () => {
  const hand = new Hand([el('button', 'b', 'B', { bounds_relative: [0.5, 0.25, 0.1, 0.1] })], { width: 1000, height: 500 })
  expect((await hand.node('b')).bounds).toEqual({ x: 500, y: 125, w: 100, h: 50 })
  expect((await hand.node('virtual_window')).bounds).toEqual({ x: 0, y: 0, w: 1000, h: 500 })
  expect(hand.driver.describe().map((d) => d.element_id)).toEqual(['b'])
})

test('what a description says can be loaded again and says the same', async () => {
  const hand = new Hand([
    win(
      'w',
      'W',
      [
        el('check_box', 'c', 'C'),
        el('text_field', 'f', 'F'),
        el('list', 'l', 'L', { attributes: { options: ['a', 'b'] } }),
        el('slider', 's', 'S', { value: 30 }),
      ],
      {
        bounds_relative: [0.1, 0.1, 0.5, 0.8],
      },
    ),
  ])
  await hand.click('c')
  await hand.click('l[1]')
  await hand.click('f')
  await hand.type('text')
  const first = hand.driver.describe()
  const second = new Hand(JSON.parse(JSON.stringify(first)))
  expect(second.driver.describe()).toEqual(first)
})

test('closing the desktop ends every wait', async () => {
  const hand = new Hand(ui)
  const { cursor } = await hand.driver.observe.read({ maxNodes: 1 }, ctx)
  const waiting = hand.driver.observe.changes(cursor, 60_000, within(60_000))
  await hand.driver.close()
  expect(await waiting).toMatchObject({ changes: [] })
})

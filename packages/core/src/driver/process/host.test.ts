import { duplexPair } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { COMPLETE, type FlatNode } from '../../model/index.ts'
import { CAPS, type Ctx, type Driver, type DriverInfo, PROTOCOL, within } from '../driver.ts'
import { remoteDriver, serveDriver } from './host.ts'
import { DRIVER_PROTOCOL } from '../wire/methods.ts'
import { Link } from '../wire/link.ts'

const node: FlatNode = {
  key: 'n1',
  index: 0,
  app: 'a1',
  role: 'button',
  name: 'Ok',
  bounds: { x: 1, y: 2, w: 3, h: 4 },
  states: { checked: 'mixed' },
}
const info: DriverInfo = {
  protocol: PROTOCOL,
  kind: 'test',
  name: 'scripted',
  version: '1',
  prefixes: ['test'],
  desktop: 'urn:test',
  epoch: 'e',
  can: Object.fromEntries(CAPS.map((c) => [c, { ok: true }])) as DriverInfo['can'],
}
const results = {
  info,
  screens: [{ id: 's', bounds: { x: -10, y: 0, w: 20, h: 10 }, scale: 1.5, primary: true }],
  read: { cursor: 'c1', nodes: [node], apps: [{ id: 'a1', name: 'App', pid: 7 }], completeness: COMPLETE },
  changes: { cursor: 'c2', changes: [{ type: 'put', node }, { type: 'gone', key: 'n1' }, { type: 'focus' }] },
  watch: { cursor: 'c3', damage: [{ x: 0, y: 0, w: 2, h: 1 }], human: { moves: 1, buttons: 0, keys: 2 }, at: { x: 1, y: 1 } },
  check: [node, null],
  hit: { window: 'w', node: 'n1' },
  capture: {
    id: 's1',
    width: 2,
    height: 1,
    origin: { x: 0.5, y: -1 },
    scale: 2,
    windows: [{ app: { id: 'a1', name: 'App' }, rect: { x: 0, y: 0, w: 1, h: 1 } }],
  },
  render: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8),
  readClipboard: 'é 漢 😀',
  pointer: { x: 3.5, y: 4 },
  canLaunch: true,
  take: 'lease',
  step: { sent: 'all', units: 1, via: 'test', held: [] },
  reply: undefined,
  drop: undefined,
  stop: undefined,
} as const

test('every method crosses with its arguments and its result', async () => {
  const { remote, calls } = serve()
  const { observe, act } = remote
  const ctx = within(1000)
  const step = {
    do: 'pointer',
    events: [
      { type: 'move', x: 1.5, y: -2 },
      { type: 'pause', ms: 1 },
    ],
  } as const
  const guard = { window: 'w', hit: { at: { x: 1, y: 2 }, key: 'n1' }, human: 3 }
  expect(await observe.info(ctx)).toEqual(results.info)
  expect(await observe.screens(ctx)).toEqual(results.screens)
  expect(await observe.read({ root: 'n1', depth: 2 }, ctx)).toEqual(results.read)
  expect(await observe.changes('c1', 50, ctx)).toEqual(results.changes)
  expect(await observe.watch('input', 'c2', 50, ctx)).toEqual(results.watch)
  expect(await observe.check(['n1', 'n2'], ctx)).toEqual(results.check)
  expect(await observe.hit({ x: 1, y: 2 }, ctx)).toEqual(results.hit)
  expect(await observe.capture({ window: 'w' }, ctx)).toEqual(results.capture)
  expect(await observe.render('s1', { hide: [{ x: 0, y: 0, w: 1, h: 1 }], as: 'rgba' }, ctx)).toEqual(results.render)
  expect(await observe.readClipboard(ctx)).toEqual(results.readClipboard)
  expect(await observe.pointer(ctx)).toEqual(results.pointer)
  expect(await observe.canLaunch('app', ctx)).toEqual(results.canLaunch)
  expect(await act.take(500, ctx)).toBe('lease')
  expect(await act.step('lease', { ...step, events: [...step.events] }, guard, ctx)).toEqual(results.step)
  await act.reply('r1', { any: [1] }, ctx)
  await act.drop('lease')
  await act.stop()
  expect(calls).toEqual([
    ['info'],
    ['screens'],
    ['read', { root: 'n1', depth: 2 }],
    ['changes', 'c1', 50],
    ['watch', 'input', 'c2', 50],
    ['check', ['n1', 'n2']],
    ['hit', { x: 1, y: 2 }],
    ['capture', { window: 'w' }],
    ['render', 's1', { hide: [{ x: 0, y: 0, w: 1, h: 1 }], as: 'rgba' }],
    ['readClipboard'],
    ['pointer'],
    ['canLaunch', 'app'],
    ['take', 500],
    ['step', 'lease', step, guard],
    ['reply', 'r1', { any: [1] }],
    ['drop', 'lease'],
    ['stop'],
  ])
})

test.each([
  ['read', { scope: { depth: 'deep' } }],
  ['step', { lease: 'l', step: { do: 'explode' }, guard: {} }],
  ['step', { lease: 'l', step: { do: 'text', text: 'x' } }],
  ['take', null],
  ['hit', { at: { x: null, y: 1 } }],
  ['render', { id: 's1', how: { hide: [{ x: null, y: 0, w: 1, h: 1 }], as: 'png' } }],
])('%s with arguments that do not fit is refused before the driver sees it', async (method, params) => {
  const { link, calls } = serve()
  await expect(link.call(method, params)).rejects.toMatchObject({ code: 'BAD_ARGS' })
  expect(calls).toEqual([])
})

test.each<[string, unknown, (d: Driver) => Promise<unknown>]>([
  ['info of another protocol', { ...info, protocol: 2 }, (d) => d.observe.info(within(1000))],
  ['info without a cap', { ...info, can: {} }, (d) => d.observe.info(within(1000))],
  ['a node without a role', { ...results.read, nodes: [{ ...node, role: undefined }] }, (d) => d.observe.read({}, within(1000))],
  [
    'a node with states that are no states',
    { ...results.read, nodes: [{ ...node, states: { enabled: 1 } }] },
    (d) => d.observe.read({}, within(1000)),
  ],
  ['a change of an unknown type', { cursor: 'c', changes: [{ type: 'new' }] }, (d) => d.observe.changes('c', 0, within(1000))],
  ['a change that puts no node', { cursor: 'c', changes: [{ type: 'put', node: {} }] }, (d) => d.observe.changes('c', 0, within(1000))],
  ['a picture without a size', { ...results.capture, height: undefined }, (d) => d.observe.capture({}, within(1000))],
  ['a picture that is text', 'AAAA', (d) => d.observe.render('s1', { hide: [], as: 'png' }, within(1000))],
  ['a step that was sent somehow', { ...results.step, sent: 'maybe' }, (d) => d.act.step('l', { do: 'text', text: '' }, {}, within(1000))],
  ['nothing at all', undefined, (d) => d.observe.readClipboard(within(1000))],
])('%s is a PROTOCOL error, not a result', async (_, result, ask) => {
  const [a, b] = duplexPair()
  const liar = new Link(b, { protocol: DRIVER_PROTOCOL })
  for (const method of Object.keys(results)) liar.handle(method, () => result)
  const driver = remoteDriver(a)
  onTestFinished(() => driver.close())
  await expect(ask(driver)).rejects.toMatchObject({ code: 'PROTOCOL' })
})

test('stop overtakes a step that is under way, and calls that wait for their turn', async () => {
  const { remote, calls, stopped } = serve({ slow: ['step', 'changes'] })
  const polls = Array.from({ length: 100 }, (_, i) => remote.observe.changes(`c${i}`, 10_000, within(20_000)))
  const ended = Promise.allSettled([...polls, remote.act.step('l', { do: 'text', text: 'long' }, {}, within(20_000))])
  await turn()
  await remote.act.stop()
  expect(calls.at(-1)).toEqual(['stop'])
  expect(stopped()).toBe(true)
  await remote.close()
  expect((await ended).every((p) => p.status === 'rejected')).toBe(true)
})

test('an abort reaches the step in the driver', async () => {
  const { remote, aborts } = serve({ slow: ['step'] })
  const abort = new AbortController()
  const step = remote.act.step('l', { do: 'text', text: 'x' }, {}, within(10_000, abort.signal))
  step.catch(() => {})
  await remote.observe.info(within(1000))
  abort.abort()
  await expect(step).rejects.toMatchObject({ code: 'CANCELLED' })
  await expect(aborts[0]).resolves.toMatchObject({ code: 'CANCELLED' })
})

test('when the link ends the step is aborted, then the driver stops, then it closes', async () => {
  const { remote, served, calls, aborts } = serve({ slow: ['step'] })
  const step = remote.act.step('l', { do: 'text', text: 'x' }, {}, within(10_000))
  step.catch(() => {})
  await remote.observe.info(within(1000))
  await Promise.all([remote.close(), expect(step).rejects.toMatchObject({ code: 'DRIVER_DEAD' })])
  await served.ended
  await expect(aborts[0]).resolves.toMatchObject({ code: 'DRIVER_DEAD' })
  expect(calls.slice(-2)).toEqual([['stop'], ['close']])
})

test('a driver that fails to stop is closed all the same', async () => {
  const { remote, served, calls } = serve({ failing: ['stop'] })
  await remote.close()
  await served.ended
  expect(calls.at(-1)).toEqual(['close'])
})

test('calls wait for a driver that is still opening, and learn why it could not', async () => {
  const [a, b] = duplexPair()
  const remote = remoteDriver(a)
  const served = serveDriver(
    turn().then(() => Promise.reject(new Error('no display'))),
    b,
  )
  await expect(remote.observe.info(within(1000))).rejects.toMatchObject({ message: 'no display' })
  await served.ended
})

interface Script {
  slow?: string[]
  failing?: string[]
}

/** A driver that answers from `results`, behind a wire; slow methods wait until they are aborted. */
function serve({ slow = [], failing = [] }: Script = {}) {
  const calls: unknown[][] = []
  const aborts: Promise<unknown>[] = []
  const answer = <N extends keyof typeof results>(name: N) => {
    return async (...args: unknown[]): Promise<never> => {
      const ctx = name === 'drop' || name === 'stop' ? undefined : (args.pop() as Ctx)
      calls.push([name, ...args])
      if (failing.includes(name)) throw new Error(`${name} failed`)
      if (ctx && slow.includes(name)) {
        const aborted = new Promise((resolve) => ctx.signal.addEventListener('abort', () => resolve(ctx.signal.reason)))
        aborts.push(aborted)
        throw await aborted
      }
      return results[name] as never
    }
  }
  const driver: Driver = {
    observe: {
      info: answer('info'),
      screens: answer('screens'),
      read: answer('read'),
      changes: answer('changes'),
      watch: answer('watch'),
      check: answer('check'),
      hit: answer('hit'),
      capture: answer('capture'),
      render: answer('render'),
      readClipboard: answer('readClipboard'),
      pointer: answer('pointer'),
      canLaunch: answer('canLaunch'),
    },
    act: { take: answer('take'), step: answer('step'), reply: answer('reply'), drop: answer('drop'), stop: answer('stop') },
    close: async () => void calls.push(['close']),
  }
  const [a, b] = duplexPair()
  const served = serveDriver(driver, a)
  const link = new Link(b, { protocol: DRIVER_PROTOCOL })
  const remote = remoteDriver(link)
  onTestFinished(async () => {
    await remote.close()
    await served.ended
  })
  return { remote, link, served, calls, aborts, stopped: () => calls.some(([name]) => name === 'stop') }
}

import { composeDrivers, type Change, type Driver, type NodeKey, within } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import { center, type AppIdentity, type FlatNode } from '@deskhand/core/model'
import { openVirtual, type VirtualDriver } from '@deskhand/driver-virtual'
import { afterEach, expect, test } from 'vitest'
import { govern } from '../support/desk.ts'
import { ctx, el, type El, onlySees, win } from './kit.ts'

const LEFT = { bounds_relative: [0.02, 0.02, 0.4, 0.6] as [number, number, number, number] }
const RIGHT = { bounds_relative: [0.55, 0.02, 0.4, 0.6] as [number, number, number, number] }
const left = (rest: El[] = []): El[] => [
  win('left', 'Left', [el('button', 'one', 'One'), el('text_field', 'first', 'First'), ...rest], LEFT),
]
const right = (): El[] => [win('right', 'Right', [el('button', 'two', 'Two'), el('text_field', 'second', 'Second')], RIGHT)]

const opened: Driver[] = []
afterEach(async () => {
  for (const driver of opened.splice(0)) await driver.close()
})

async function compose(...drivers: Driver[]): Promise<Driver> {
  const driver = await composeDrivers(drivers, ctx)
  opened.push(driver)
  return driver
}

const nodes = async (driver: Driver): Promise<FlatNode[]> => (await driver.observe.read({}, ctx)).nodes
const names = async (driver: Driver): Promise<(string | undefined)[]> => (await nodes(driver)).map((n) => n.name)
async function find(driver: Driver, name: string): Promise<FlatNode> {
  const node = (await nodes(driver)).find((n) => n.name === name)
  if (node === undefined) throw new Error(`there is no ${name}`)
  return node
}
async function leased<T>(driver: Driver, run: (lease: string) => Promise<T>, ttlMs = 60_000): Promise<T> {
  const lease = await driver.act.take(ttlMs, ctx)
  try {
    return await run(lease)
  } finally {
    await driver.act.drop(lease)
  }
}
type Replica = Map<NodeKey, NodeKey | undefined>
const replicaOf = (all: readonly FlatNode[]): Replica => new Map(all.map((n) => [n.key, n.parent]))

function remove(seen: Replica, key: NodeKey): void {
  seen.delete(key)
  for (const [child, parent] of seen) if (parent === key) remove(seen, child)
}

/** Applies what is told to a replica of the tree. */
async function follow(driver: Driver, seen: Replica, cursor: string): Promise<{ cursor: string; changes: Change[] } | 'reset'> {
  const found = await driver.observe.changes(cursor, 0, ctx)
  if ('reset' in found) return 'reset'
  for (const c of found.changes) {
    if (c.type === 'put') seen.set(c.node.key, c.node.parent)
    else if (c.type === 'gone') remove(seen, c.key)
  }
  return found
}

/** The driver with a pid for its applications, as drivers of real desktops tell one. */
function withPid(driver: VirtualDriver, pid: number): VirtualDriver {
  const { observe } = driver
  const identified = (app: AppIdentity): AppIdentity => ({ ...app, pid })
  return {
    ...driver,
    observe: {
      ...observe,
      async read(scope, c) {
        const part = await observe.read(scope, c)
        return { ...part, apps: part.apps.map(identified) }
      },
      async changes(since, waitMs, c) {
        const found = await observe.changes(since, waitMs, c)
        if ('reset' in found) return found
        return { ...found, changes: found.changes.map((x) => (x.type === 'app' ? { ...x, app: identified(x.app) } : x)) }
      },
    },
  }
}

/** A driver that can be killed, and started anew as another one. */
function mortal(first: Driver): { driver: Driver; die(): void; live(next: Driver): void } {
  let current: Driver | undefined = first
  const alive = (): Driver => {
    if (current === undefined) throw new DeskhandError('DRIVER_DEAD', 'the driver was killed')
    return current
  }
  const half = <T extends 'observe' | 'act'>(name: T): Driver[T] =>
    new Proxy({} as Driver[T], {
      get:
        (_, method) =>
        async (...args: unknown[]): Promise<unknown> => {
          const target: object = alive()[name]
          const answer: unknown = await Reflect.apply(Reflect.get(target, method) as () => unknown, target, args)
          alive()
          return answer
        },
    })
  return {
    driver: { observe: half('observe'), act: half('act'), close: async () => current?.close() },
    die: () => void (current = undefined),
    live: (next) => void (current = next),
  }
}

test('a single driver is served as it is', async () => {
  const driver = openVirtual({ ui: left() })
  expect(await compose(driver)).toBe(driver)
})

test('the drivers are told of, with their prefixes; what one of them can do is possible, and a gap has the reasons of all', async () => {
  const driver = await compose(onlySees(openVirtual({ ui: left() })), openVirtual({ ui: right() }))
  const info = await driver.observe.info(ctx)
  expect(info).toMatchObject({
    kind: 'virtual',
    name: 'virtual+virtual',
    prefixes: ['virtual'],
    can: { hit: { ok: true }, tree: { ok: true } },
  })
  expect(info.parts?.map((p) => [p.kind, p.prefixes])).toEqual([
    ['virtual', ['virtual']],
    ['virtual', ['virtual']],
  ])
  expect(info.can['step:launch']).toEqual({
    ok: false,
    reason: 'this driver only sees; the user interface file declares no applications',
  })
})

test('both trees are one, with keys and applications that never meet, and every node names its driver', async () => {
  const driver = await compose(openVirtual({ ui: left() }), openVirtual({ ui: right() }))
  const part = await driver.observe.read({}, ctx)
  expect(part.nodes.map((n) => n.name)).toEqual(expect.arrayContaining(['Left', 'One', 'Right', 'Two']))
  expect(new Set(part.nodes.map((n) => n.key)).size).toBe(part.nodes.length)
  expect(new Set(part.apps.map((a) => a.id)).size).toBe(2)
  expect(new Set(part.nodes.map((n) => n.driver))).toEqual(new Set(['virtual']))
  const { key, app } = await find(driver, 'Right')
  const below = await driver.observe.read({ root: key }, ctx)
  expect(below.nodes.map((n) => n.name)).toEqual(['Right', 'Two', 'Second'])
  expect((await driver.observe.read({ app }, ctx)).nodes.map((n) => n.name)).toEqual(['Right', 'Two', 'Second'])
})

test('changes of both come in one stream, and each reader keeps its own place', async () => {
  const [one, two] = [openVirtual({ ui: left() }), openVirtual({ ui: right() })]
  const driver = await compose(one, two)
  const { cursor } = await driver.observe.read({}, ctx)
  const put = async (since: string): Promise<(string | undefined)[]> => {
    const found = await driver.observe.changes(since, 0, ctx)
    if ('reset' in found) throw new Error('the cursor of a moment ago was too old')
    return found.changes.flatMap((c) => (c.type === 'put' ? [`${c.node.name}=${c.node.value}`] : []))
  }
  one.set('first', 'x')
  two.set('second', 'y')
  expect(new Set(await put(cursor))).toEqual(new Set(['First=x', 'Second=y']))
  two.set('second', 'z')
  expect(await put(cursor)).toContain('Second=z')
  expect((await put(cursor)).filter((p) => p === 'First=x')).toHaveLength(1)
})

test('a change of either driver wakes up a reader that waits', async () => {
  const [one, two] = [openVirtual({ ui: left() }), openVirtual({ ui: right() })]
  const driver = await compose(one, two)
  for (const [part, id] of [
    [one, 'first'],
    [two, 'second'],
  ] as const) {
    const { cursor } = await driver.observe.read({}, ctx)
    const waiting = driver.observe.changes(cursor, 60_000, within(120_000))
    await new Promise((resolve) => setImmediate(resolve))
    part.set(id, 'changed')
    expect(await waiting).toMatchObject({ changes: [{ type: 'put', node: { value: 'changed' } }] })
  }
})

test('a step on a node goes to its driver, any other to the first that can', async () => {
  const [one, two] = [openVirtual({ ui: left() }), openVirtual({ ui: right() })]
  const driver = await compose(onlySees(one), two)
  const second = await find(driver, 'Second')
  await leased(driver, async (lease) => {
    await driver.act.step(lease, { do: 'setText', key: second.key, text: 'set', mode: 'replace' }, {}, ctx)
    await driver.act.step(lease, { do: 'focus', key: second.key }, {}, ctx)
    await driver.act.step(lease, { do: 'text', text: '!' }, { focus: second.key }, ctx)
    const { key } = await find(driver, 'One')
    await expect(driver.act.step(lease, { do: 'press', key }, {}, ctx)).rejects.toMatchObject({ code: 'NOT_CAPABLE' })
  })
  expect((await driver.observe.check([second.key], ctx))[0]?.value).toContain('!')
})

test('what lies at a point is told by the driver that has a window there', async () => {
  const driver = await compose(openVirtual({ ui: left() }), openVirtual({ ui: right() }))
  for (const name of ['One', 'Two']) {
    const { key, bounds } = await find(driver, name)
    expect((await driver.observe.hit(center(bounds!), ctx)).node).toBe(key)
  }
  expect(await driver.observe.hit({ x: 1, y: 790 }, ctx)).toEqual({})
})

test('a guard about a node of another driver than the one that types is checked by that driver, also in the middle of a text', async () => {
  const [one, two] = [openVirtual({ ui: left() }), openVirtual({ ui: right() })]
  const driver = await compose(one, two)
  const [first, second, button] = [await find(driver, 'First'), await find(driver, 'Second'), await find(driver, 'Two')]
  await leased(driver, async (lease) => {
    for (const { key } of [first, second]) await driver.act.step(lease, { do: 'focus', key }, {}, ctx)
    const type = (text: string, focus: string) => driver.act.step(lease, { do: 'text', text }, { focus }, ctx)
    expect(await type('no', button.key)).toMatchObject({ sent: 'none', units: 0, broken: 'focus' })
    expect(await type('x'.repeat(40), second.key)).toMatchObject({ sent: 'all', units: 40 })
    const typing = type('y'.repeat(40_000), second.key)
    await expect.poll(async () => (await driver.observe.check([first.key], ctx))[0]?.value).toContain('y')
    two.human({ do: 'keys', events: [{ type: 'down', key: 'Tab' }] })
    const sent = await typing
    expect(sent).toMatchObject({ sent: 'partial', broken: 'focus' })
    expect(sent.units).toBeLessThan(40_000)
    expect(await type('stale', '9-0.v1')).toMatchObject({ sent: 'none', broken: 'focus' })
  })
})

test('the lease is taken on all drivers or on none', async () => {
  const [one, two] = [openVirtual({ ui: left() }), openVirtual({ ui: right() })]
  const driver = await compose(one, two)
  const other = await two.act.take(60_000, ctx)
  await expect(driver.act.take(1000, ctx)).rejects.toMatchObject({ code: 'LEASE_LOST' })
  await one.act.drop(await one.act.take(1000, ctx))
  await two.act.drop(other)
  await leased(driver, async () => {
    for (const part of [one, two]) await expect(part.act.take(1000, ctx)).rejects.toMatchObject({ code: 'LEASE_LOST' })
  })
  for (const part of [one, two]) await part.act.drop(await part.act.take(1000, ctx))
})

test('steps on one driver keep the lease on the others alive, with what they hold', async () => {
  const driver = await compose(openVirtual({ ui: left() }), openVirtual({ ui: right() }))
  const { key } = await find(driver, 'Two')
  await leased(
    driver,
    async (lease) => {
      await driver.act.step(lease, { do: 'keys', events: [{ type: 'down', key: 'Shift' }] }, {}, ctx)
      const end = performance.now() + 700
      while (performance.now() < end) {
        expect((await driver.act.step(lease, { do: 'focus', key }, {}, ctx)).held).toEqual(['Shift'])
        await new Promise((resolve) => setTimeout(resolve, 30))
      }
      expect((await driver.act.step(lease, { do: 'keys', events: [{ type: 'up', key: 'Shift' }] }, {}, ctx)).held).toEqual([])
    },
    300,
  )
})

test('a stop reaches all drivers and releases what each holds', async () => {
  const [one, two] = [openVirtual({ ui: left() }), openVirtual({ ui: right() })]
  const driver = await compose(one, two)
  const lease = await driver.act.take(60_000, ctx)
  await driver.act.step(lease, { do: 'keys', events: [{ type: 'down', key: 'Shift' }] }, {}, ctx)
  await driver.act.stop()
  await expect(driver.act.step(lease, { do: 'keys', events: [] }, {}, ctx)).rejects.toMatchObject({ code: 'LEASE_LOST' })
  await leased(driver, async (next) => expect((await driver.act.step(next, { do: 'keys', events: [] }, {}, ctx)).held).toEqual([]))
})

test('a window that two drivers show is told by the preferred one; the other shows it again when the first no longer does', async () => {
  const one = withPid(openVirtual({ ui: left() }), 7)
  const two = withPid(openVirtual({ ui: [...left([el('label', 'extra', 'Seen by the second only')]), ...right()] }), 7)
  const driver = await compose(one, two)
  const { cursor, nodes: all, apps } = await driver.observe.read({}, ctx)
  const seen = replicaOf(all)
  expect(all.filter((n) => n.name === 'Left')).toHaveLength(1)
  expect(all.map((n) => n.name)).not.toContain('Seen by the second only')
  expect(all.map((n) => n.name)).toContain('Right')
  expect(apps).toHaveLength(2)

  // Nothing of the hidden window is told, and what lies there is the preferred driver's.
  two.set('extra', 'changed')
  expect(await follow(driver, seen, cursor)).toMatchObject({ changes: [] })
  const button = await find(driver, 'One')
  expect((await driver.observe.hit(center(button.bounds!), ctx)).node).toBe(button.key)

  const { key } = await find(driver, 'Left')
  await leased(driver, (lease) => driver.act.step(lease, { do: 'window', key, op: 'close' }, {}, ctx))
  const after = await follow(driver, seen, cursor)
  expect(after).not.toBe('reset')
  const now = await nodes(driver)
  expect(replicaOf(now)).toEqual(seen)
  expect(now.map((n) => n.name)).toContain('Left')
  expect(now.filter((n) => n.value === 'changed' || n.name === 'Seen by the second only')).toHaveLength(1)
})

test('a driver that dies gives DRIVER_DEAD for its own nodes; the others go on, and what it hid is shown', async () => {
  const one = mortal(withPid(openVirtual({ ui: left() }), 7))
  const driver = await compose(one.driver, withPid(openVirtual({ ui: [...left(), ...right()] }), 7))
  const { cursor, nodes: all } = await driver.observe.read({}, ctx)
  const seen = replicaOf(all)
  const [lost, kept] = [await find(driver, 'Left'), await find(driver, 'Right')]

  one.die()
  await expect(driver.observe.check([lost.key], ctx)).rejects.toMatchObject({ code: 'DRIVER_DEAD' })
  expect(await driver.observe.check([kept.key], ctx)).toMatchObject([{ name: 'Right' }])
  const after = await follow(driver, seen, cursor)
  expect(after).toMatchObject({ changes: expect.arrayContaining([{ type: 'gone', key: lost.key }]) as Change[] })
  const { nodes: now, completeness } = await driver.observe.read({}, ctx)
  expect(replicaOf(now)).toEqual(seen)
  expect(now.map((n) => n.name)).toContain('Left')
  expect(completeness).toMatchObject({
    complete: false,
    reasons: [{ kind: 'degraded', detail: expect.stringContaining('was killed') as string }],
  })
  await leased(driver, async (lease) => {
    await driver.act.step(lease, { do: 'press', key: (await find(driver, 'Two')).key }, {}, ctx)
    await expect(driver.act.step(lease, { do: 'press', key: lost.key }, {}, ctx)).rejects.toMatchObject({ code: 'DRIVER_DEAD' })
  })
})

test('a driver that was started anew is read again; keys of its old life are stale, those of the others stay', async () => {
  const two = mortal(openVirtual({ ui: right() }))
  const driver = await compose(openVirtual({ ui: left() }), two.driver)
  const { cursor } = await driver.observe.read({}, ctx)
  const [old, kept] = [await find(driver, 'Two'), await find(driver, 'One')]
  two.die()
  expect(await names(driver)).not.toContain('Two')
  two.live(openVirtual({ ui: right() }))
  await expect.poll(() => names(driver)).toContain('Two')
  expect(await driver.observe.changes(cursor, 0, ctx)).toEqual({ reset: true })
  expect((await find(driver, 'One')).key).toBe(kept.key)
  expect((await find(driver, 'Two')).key).not.toBe(old.key)
  expect(await driver.observe.check([old.key], ctx)).toEqual([null])
  await leased(driver, async (lease) => {
    await expect(driver.act.step(lease, { do: 'press', key: old.key }, {}, ctx)).rejects.toMatchObject({ code: 'STALE_REF' })
    await driver.act.step(lease, { do: 'press', key: (await find(driver, 'Two')).key }, {}, ctx)
  })
})

test('a driver that hangs is left out with its windows as they were, and told as hung, until it answers again', async () => {
  const one = openVirtual({ ui: left() })
  const two = openVirtual({ ui: right() })
  let hangs = false
  const { observe } = two
  const wait = <T>(call: () => Promise<T>): Promise<T> => (hangs ? new Promise(() => {}) : call())
  const stuck: Driver = {
    ...two,
    observe: { ...observe, info: (c) => wait(() => observe.info(c)), changes: (since, ms, c) => wait(() => observe.changes(since, ms, c)) },
  }
  const driver = await composeDrivers([one, stuck], ctx, { hungMs: 100 })
  opened.push(driver)
  const { cursor } = await driver.observe.read({}, ctx)
  hangs = true
  one.set('first', 'x')
  const found = await driver.observe.changes(cursor, 0, ctx)
  expect(found).toMatchObject({
    changes: expect.arrayContaining([
      expect.objectContaining({ type: 'put' }),
      { type: 'completeness', completeness: { complete: false, reasons: [expect.objectContaining({ kind: 'hung' })] } },
    ]) as Change[],
  })
  expect('reset' in found ? [] : found.changes.filter((c) => c.type === 'gone')).toEqual([])
  hangs = false
  two.set('second', 'y')
  await expect.poll(async () => (await driver.observe.read({}, ctx)).completeness.complete).toBe(true)
  expect(await driver.observe.changes(cursor, 0, ctx)).toEqual({ reset: true })
  expect((await find(driver, 'Second')).value).toBe('y')
})

test('when all drivers are dead, that is what a reader is told', async () => {
  const [one, two] = [mortal(openVirtual({ ui: left() })), mortal(openVirtual({ ui: right() }))]
  const driver = await compose(one.driver, two.driver)
  await nodes(driver)
  one.die()
  two.die()
  await expect(nodes(driver)).rejects.toMatchObject({ code: 'DRIVER_DEAD' })
  await expect(driver.act.take(1000, ctx)).rejects.toMatchObject({ code: 'DRIVER_DEAD' })
})

test('pictures, clipboard, pointer and a person’s input come from the first driver that can tell them', async () => {
  const [one, two] = [openVirtual({ ui: left() }), openVirtual({ ui: right() })]
  const driver = await compose(onlySees(one), two)
  const { cursor } = await driver.observe.watch('input', undefined, 0, ctx)
  two.human({ do: 'pointer', events: [{ type: 'move', x: 5, y: 6 }] })
  one.human({ do: 'keys', events: [{ type: 'down', key: 'a' }] })
  expect(await driver.observe.watch('input', cursor, 0, ctx)).toMatchObject({ human: { moves: 1, keys: 0 }, at: { x: 5, y: 6 } })
  expect(await driver.observe.pointer(ctx)).toEqual({ x: 5, y: 6 })
  await leased(driver, (lease) => driver.act.step(lease, { do: 'clipboard', text: 'copied' }, {}, ctx))
  expect(await driver.observe.readClipboard(ctx)).toBe('copied')
  const window = await find(driver, 'Left')
  const handle = await driver.observe.capture({ window: window.key }, ctx)
  expect(handle).toMatchObject({ origin: { x: window.bounds?.x, y: window.bounds?.y } })
  expect(await driver.observe.render(handle.id, { hide: [], as: 'rgba' }, ctx)).toHaveLength(4 * handle.width * handle.height)
})

test('a request of either driver is answered by the driver that asked', async () => {
  const code = (id: string): El[] => [
    win(id, id, [el('text_area', 'code_editor', 'Code'), el('button', 'run_code_button', `Run ${id}`)], id === 'a' ? LEFT : RIGHT),
  ]
  const driver = await compose(openVirtual({ ui: code('a') }), openVirtual({ ui: code('b') }))
  const { cursor } = await driver.observe.read({}, ctx)
  await leased(driver, async (lease) => {
    for (const id of ['a', 'b']) await driver.act.step(lease, { do: 'press', key: (await find(driver, `Run ${id}`)).key }, {}, ctx)
  })
  const found = await driver.observe.changes(cursor, 0, ctx)
  const ids = 'reset' in found ? [] : found.changes.flatMap((c) => (c.type === 'host' ? [c.request.id] : []))
  expect(new Set(ids).size).toBe(2)
  for (const id of ids) await driver.act.reply(id, { ok: true }, ctx)
  for (const id of [...ids, 'run-1']) await expect(driver.act.reply(id, {}, ctx)).rejects.toMatchObject({ code: 'BAD_ARGS' })
})

test('a session works on two drivers as on one', async () => {
  const count = { on: { click: [{ do: 'increment', element: 'count', format: 'Count: {}' }] } }
  const counting = (side: typeof LEFT, name: string): El[] => [
    win(name, name, [el('button', 'add', `Add ${name}`, { attributes: count }), el('label', 'count', 'Count: 0', { value: 0 })], side),
  ]
  const one = openVirtual({ ui: counting(LEFT, 'left') })
  const driver = await compose(onlySees(one), openVirtual({ ui: counting(RIGHT, 'right') }))
  const { call, session } = await govern(driver, '', { desktop: 'virtual', mode: 'simulation_only' })
  expect(await call('ui.click', { target: 'name="Add right"' })).toMatchObject({ sent: 'all', effect: 'changed' })
  expect(await call('ui.query', { selector: 'name="Count: 1"' })).toMatchObject({ data: { matches: [expect.anything()] } })
  expect(await call('ui.query', { selector: 'name="Count: 0"' })).toMatchObject({ data: { matches: [expect.anything()] } })
  await session.close()
})

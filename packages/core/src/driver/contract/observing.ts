import { center, contains, type FlatNode, intersect, ROLES, type Rect } from '../../model/index.ts'
import { type CaptureHandle, within } from '../driver.ts'
import { withDialog } from './acting.ts'
import { type Case, it } from './case.ts'
import { expect } from './expect.ts'
import type { Part } from './fixture.ts'
import { inTime } from './in-time.ts'
import { below, middle } from './contract-desk.ts'

export const observing: Case[] = [
  it('there is at least one screen, and one of them is the primary', [], async (desk) => {
    const screens = await desk.driver.observe.screens(desk.ctx)
    expect(screens.filter((s) => s.primary)).toHaveLength(1)
    for (const s of screens) expect(Math.min(s.bounds.w, s.bounds.h, s.scale)).toBeGreaterThan(0)
  }),

  it('a read gives a consistent tree: unique keys, parents first, children in order, known applications', ['tree'], async (desk) => {
    const { nodes, apps, completeness } = await desk.driver.observe.read({}, desk.ctx)
    const index = new Map<string, number>()
    const seen = new Set<string>()
    const known = new Set(apps.map((a) => a.id))
    for (const n of nodes) {
      expect(seen, `${n.key} is there twice`).not.toContain(n.key)
      seen.add(n.key)
      if (n.parent !== undefined) {
        expect(seen, `the parent of ${n.key} stands before it`).toContain(n.parent)
        expect(n.index, `${n.key} comes after its elder sibling`).toBeGreaterThan(index.get(n.parent) ?? -1)
        index.set(n.parent, n.index)
      }
      expect(known).toContain(n.app)
      expect(ROLES).toContain(n.role)
    }
    expect(known.size).toBe(apps.length)
    if (desk.hasMenus()) expect(completeness).toEqual({ complete: true, reasons: [] })
    else expect(completeness).toMatchObject({ complete: false, reasons: [{ kind: 'degraded', detail: desk.unread?.menu }] })
  }),

  it('the window and its parts are there, with canonical roles, names, states, and bounds on the screen', ['tree'], async (desk) => {
    const nodes = await desk.nodes()
    const screens = await desk.driver.observe.screens(desk.ctx)
    const window = desk.window(nodes)
    expect(window).toMatchObject({ role: 'window', states: { active: true } })
    const parts: Part[] = ['button', 'counter', 'checkbox', 'field', 'area', 'disabled', 'password']
    if (desk.hasMenus()) parts.push('menu')
    for (const part of parts.filter((p) => desk.has(p))) {
      const node = desk.find(nodes, part)
      expect(node, `${part} is in the tree`).toBeDefined()
      const { bounds } = node ?? {}
      // A driver without a screen has no places to tell.
      if (bounds !== undefined || ON_SCREEN.some((cap) => desk.can(cap)))
        expect(bounds && screens.some((s) => covers(s.bounds, bounds)), `${part} lies on a screen, at ${JSON.stringify(bounds)}`).toBe(true)
      expect(node?.states?.enabled ?? part === 'counter', `${part} is enabled`).toBe(part !== 'disabled')
    }
    if (desk.has('checkbox')) expect(desk.find(nodes, 'checkbox')?.states?.checked).toBeTypeOf('boolean')
    for (const part of (['field', 'area', 'password'] as const).filter((p) => desk.has(p)))
      expect(desk.find(nodes, part)?.states?.editable, part).toBe(true)
    if (desk.has('options')) expect(desk.choices(nodes)?.options).toHaveLength(3)
    if (desk.has('menu')) expect(nodes.filter((n) => n.role === 'menubar')).not.toHaveLength(0)
  }),

  it('a read below a node gives that node and what is in it, and one with a budget says what it left out', ['tree'], async (desk) => {
    const nodes = await desk.nodes()
    const window = desk.window(nodes)!
    const part = await desk.driver.observe.read({ root: window.key }, desk.ctx)
    expect(part.nodes.map((n) => n.key)).toEqual([window.key, ...below(nodes, window).map((n) => n.key)])
    const budget = Math.min(3, nodes.length - 1)
    const short = await desk.driver.observe.read({ maxNodes: budget }, desk.ctx)
    expect(short.nodes.length).toBeLessThanOrEqual(budget)
    expect(short.completeness.complete).toBe(false)
    expect(short.completeness.reasons.map((r) => r.kind)).toEqual(desk.hasMenus() ? ['truncated'] : ['degraded', 'truncated'])
    await expect(desk.driver.observe.read({ root: 'no such key' }, desk.ctx)).rejects.toMatchObject({ code: 'STALE_REF' })
  }),

  it('a change wakes up a reader that waits for it, long before the wait is over', ['push'], async (desk) => {
    const stop = new AbortController()
    const count = await desk.count()
    let { cursor } = await desk.driver.observe.read({}, desk.ctx)
    const counter = await desk.part('counter')
    const wanted = `${desk.fixture.counter}${count + 1}`
    const told = (async (): Promise<void> => {
      for (;;) {
        const next = await desk.driver.observe.changes(cursor, 10 * desk.patienceMs, within(20 * desk.patienceMs, stop.signal))
        if ('reset' in next) throw new Error('the cursor of a moment ago was too old')
        cursor = next.cursor
        if (next.changes.some((c) => (c.type === 'put' && c.node.key === counter.key && c.node.name === wanted) || c.type === 'dirty'))
          return
      }
    })()
    told.catch(() => {})
    try {
      await desk.leased(async (lease) => desk.operate(lease, await desk.part('button')))
      await inTime(told, desk.patienceMs, 'the change was not told')
      expect(desk.find(await desk.nodes(), 'counter')?.name).toBe(wanted)
    } finally {
      stop.abort()
      await told.catch(() => {})
    }
  }),

  it('without a change a wait ends by itself, and an unknown cursor answers reset', ['push'], async (desk) => {
    let { cursor } = await desk.driver.observe.read({}, desk.ctx)
    const end = performance.now() + desk.patienceMs
    for (let quiet = false; !quiet;) {
      if (performance.now() > end) throw new Error('it tells changes without end, though nothing is done')
      const next = await desk.driver.observe.changes(cursor, 50, desk.ctx)
      if ('reset' in next) throw new Error('the cursor of a moment ago was too old')
      quiet = next.changes.length === 0
      cursor = next.cursor
    }
    expect(await desk.driver.observe.changes('no such cursor', 0, desk.ctx)).toEqual({ reset: true })
  }),

  it('a check gives the nodes as they are now, in the order asked, and null for unknown keys', ['tree'], async (desk) => {
    const [button, checkbox] = [await desk.part('button'), await desk.part('checkbox')]
    const fresh = await desk.driver.observe.check([checkbox.key, 'no such key', button.key], desk.ctx)
    expect(fresh).toMatchObject([{ key: checkbox.key, role: 'checkbox' }, null, { key: button.key, name: desk.fixture.button }])
    expect(await desk.driver.observe.check([], desk.ctx)).toEqual([])
  }),

  it('a key never comes to mean another element, while others come and go and when its own is gone', ['tree'], async (desk) => {
    const before = await desk.nodes()
    let open: FlatNode[] = []
    await withDialog(desk, async () => {
      open = await desk.nodes()
    })
    mustBeSame(before, open)
    mustBeSame(open, await desk.nodes())
    const keys = open.map((n) => n.key)
    const left = await desk.driver.observe.check(keys, desk.ctx)
    mustBeSame(
      open,
      left.filter((n) => n !== null),
    )
    await withDialog(desk, async () => mustBeSame(open, await desk.nodes()))
  }),

  it('what lies at the middle of a part is that part, in its window', ['hit'], async (desk) => {
    for (const part of (['button', 'checkbox', 'field', 'disabled'] as const).filter((p) => desk.has(p))) {
      const node = await desk.part(part)
      const nodes = await desk.nodes()
      const { node: key, window } = await desk.driver.observe.hit(middle(node), desk.ctx)
      expect(
        [node, ...below(nodes, node)].map((n) => n.key),
        part,
      ).toContain(key)
      expect(window).toBe(desk.window(nodes)?.key)
    }
  }),

  it('a capture has the size that was asked for, says where it lies, and shows something', ['capture'], async (desk) => {
    const screens = await desk.driver.observe.screens(desk.ctx)
    const all = await desk.driver.observe.capture({}, desk.ctx)
    for (const { bounds } of screens) expect(covers(extent(all), bounds)).toBe(true)
    const window = desk.window(await desk.nodes())
    const rect = round(window?.bounds ?? { x: 0, y: 0, w: 0, h: 0 })
    const part = await desk.driver.observe.capture({ rect }, desk.ctx)
    expect(extent(part)).toEqual(rect)
    const own = await desk.driver.observe.capture({ window: window?.key }, desk.ctx)
    expect(contains(extent(own), center(rect))).toBe(true)
    for (const shot of [all, part, own]) {
      const data = await desk.driver.observe.render(shot.id, { hide: [], as: 'rgba' }, desk.ctx)
      expect(data).toHaveLength(shot.width * shot.height * 4)
      expect(colours(data)).toBeGreaterThan(1)
    }
  }),

  it('a picture is given once, what is to be hidden is black in it, and nothing else is', ['capture'], async (desk) => {
    const { observe } = desk.driver
    const rect = round((await desk.part('button')).bounds ?? { x: 0, y: 0, w: 0, h: 0 })
    const hide = [{ x: rect.x + 2, y: rect.y + 1, w: 5, h: rect.h }]
    const take = async (hide: Rect[]) => {
      const { id } = await observe.capture({ rect }, desk.ctx)
      return { id, pixels: await observe.render(id, { hide, as: 'rgba' }, desk.ctx) }
    }
    // An application may still fade a button: the hidden picture is compared with one before and after it that are alike.
    let shots = [await take([]), await take(hide), await take([])] as const
    for (let tries = 20; tries > 0 && Buffer.compare(shots[0].pixels, shots[2].pixels) !== 0; tries--)
      shots = [shots[2], await take(hide), await take([])]
    const [{ pixels: open }, { pixels: hidden }] = shots
    for (let i = 0; i < rect.w * rect.h; i++) {
      const [x, y] = [i % rect.w, Math.floor(i / rect.w)]
      const isHidden = x >= 2 && x < 7 && y >= 1
      const pixel = hidden.subarray(4 * i, 4 * i + 4)
      expect(pixel, `the pixel ${x}, ${y}`).toEqual(isHidden ? Uint8Array.of(0, 0, 0, 255) : open.subarray(4 * i, 4 * i + 4))
    }
    for (const { id } of shots)
      await expect(observe.render(id, { hide: [], as: 'rgba' }, desk.ctx)).rejects.toMatchObject({ code: 'STALE_REF' })
    const { id, width, height } = await observe.capture({ rect }, desk.ctx)
    const png = Buffer.from(await observe.render(id, { hide, as: 'png' }, desk.ctx))
    expect(png.subarray(1, 4).toString()).toBe('PNG')
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([width, height])
  }),

  it('the password field is marked, and what is typed into it is nowhere to be read', ['step:text'], async (desk) => {
    const secret = 'hunter2'
    const before = await desk.cursor()
    const field = await desk.leased(async (lease) => {
      const node = await desk.empty(lease, 'password')
      expect(await desk.step(lease, { do: 'text', text: secret })).toMatchObject({ sent: 'all', units: secret.length })
      return node
    })
    expect(field.states?.password).toBe(true)
    const told = [
      await desk.driver.observe.read({}, desk.ctx),
      await desk.driver.observe.check([field.key], desk.ctx),
      await desk.driver.observe.changes(before, 0, desk.ctx),
    ]
    expect(JSON.stringify(told)).not.toContain(secret)
  }),

  it('an aborted signal ends a call with CANCELLED, and a passed deadline with TIMEOUT', [], async (desk) => {
    const wait = async (deadlineMs: number, signal?: AbortSignal): Promise<never> => {
      for (let { cursor } = await desk.driver.observe.read({ maxNodes: 1 }, desk.ctx); ;) {
        const next = await desk.driver.observe.changes(cursor, 10 * desk.patienceMs, within(deadlineMs, signal))
        if ('cursor' in next) cursor = next.cursor
      }
    }
    await expect(desk.driver.observe.read({}, within(desk.patienceMs, AbortSignal.abort()))).rejects.toMatchObject({ code: 'CANCELLED' })
    await expect(desk.driver.act.take(1000, within(desk.patienceMs, AbortSignal.abort()))).rejects.toMatchObject({ code: 'CANCELLED' })
    await expect(wait(20 * desk.patienceMs, AbortSignal.timeout(100))).rejects.toMatchObject({ code: 'CANCELLED' })
    await expect(wait(100)).rejects.toMatchObject({ code: 'TIMEOUT' })
  }),
]

/** Nodes with the same key are the same element. What counts and what is typed into changes its text. */
function mustBeSame(before: readonly FlatNode[], after: readonly FlatNode[]): void {
  const now = new Map(after.map((n) => [n.key, n]))
  for (const { key, role, name } of before) {
    const same = now.get(key)
    if (same === undefined) continue
    expect(same.role, `the role of ${key}`).toBe(role)
    if (NAMED.has(role)) expect(same.name, `the name of the ${role} ${key}`).toBe(name)
  }
}

const NAMED: ReadonlySet<string> = new Set(['window', 'dialog', 'button', 'checkbox', 'menuitem'])

const ON_SCREEN = ['hit', 'capture', 'step:pointer'] as const

const covers = (outer: Rect, inner: Rect): boolean => {
  const common = intersect(outer, inner)
  return common !== undefined && common.w >= inner.w && common.h >= inner.h
}
const extent = (f: CaptureHandle): Rect => ({ ...f.origin, w: f.width / f.scale, h: f.height / f.scale })
const round = (r: Rect): Rect => ({ x: Math.round(r.x), y: Math.round(r.y), w: Math.round(r.w), h: Math.round(r.h) })

function colours(data: Uint8Array): number {
  const pixels = new Uint32Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.length))
  return new Set(pixels).size
}

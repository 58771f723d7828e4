import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DeskhandError } from '@deskhand/core/errors'
import { within, type Step } from '@deskhand/core/driver'
import { NAMED_KEYS, type FlatNode } from '@deskhand/core/model'
import { openVirtual, type VirtualDriver, type VirtualInputElementDescription } from '@deskhand/driver-virtual'
import { ctx } from './kit.ts'

/** More of them with RUNS=1000. */
const RUNS = Number(process.env['RUNS'] ?? 60)

const TYPES = [
  'window',
  'dialog',
  'button',
  'text_field',
  'text_area',
  'password_field',
  'checkbox',
  'radio',
  'radio_group',
  'select',
  'list',
  'option',
  'slider',
  'spin',
  'progress_bar',
  'tabs',
  'tab',
  'tree',
  'tree_item',
  'table',
  'row',
  'cell',
  'menu_bar',
  'menu',
  'menu_item',
  'check_menu_item',
  'label',
  'image',
  'separator',
  'group',
  'form',
  'scroll_pane',
  'toolbar',
  'status_bar',
  'link',
  'toggle_button',
  'canvas',
  'no such thing',
]
const IDS = Array.from({ length: 25 }, (_, i) => `e${i}`)
const word = fc.string({ unit: 'grapheme', maxLength: 12 })
const id = fc.constantFrom(...IDS)
/** All that a file of JSON can say. */
const finite = fc.double({ noNaN: true, noDefaultInfinity: true })

const rule: fc.Arbitrary<object> = fc.oneof(
  fc.record(
    { do: fc.constant('set'), element: id, label_text: word, is_enabled: fc.boolean(), is_visible: fc.boolean() },
    { requiredKeys: ['do', 'element'] },
  ),
  fc.record({
    do: fc.constant('set'),
    element: id,
    value: fc.oneof(word, finite, fc.boolean(), fc.constant(null), fc.constant('{e1}')),
  }),
  fc.record({
    do: fc.constantFrom('show', 'hide', 'open', 'close', 'focus', 'clear', 'remove', 'toggle', 'submit', 'increment'),
    element: id,
  }),
  fc.record({ do: fc.constant('append'), element: id, item: word }),
  fc.record({ do: fc.constant('append'), element: id, text: word }),
  fc.record({ do: fc.constant('run_code'), from: id, into: id }),
  fc.record({
    do: fc.constant('after'),
    ms: fc.integer({ min: 1, max: 1000 }),
    then: fc.array(fc.record({ do: fc.constantFrom('submit', 'toggle', 'hide', 'show'), element: id }), { maxLength: 2 }),
  }),
)
const attributes = fc.record(
  {
    on: fc.dictionary(
      fc.constantFrom('click', 'change', 'focus', 'blur', 'hover', 'leave', 'submit', 'drop', 'open', 'close', 'select', 'key:ctrl+s'),
      fc.array(rule, { maxLength: 3 }),
      { maxKeys: 3 },
    ),
    options: fc.array(word, { maxLength: 5 }),
    columns: fc.array(word, { maxLength: 3 }),
    rows: fc.array(fc.array(word, { maxLength: 3 }), { maxLength: 3 }),
    min: finite,
    max: finite,
    step: fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
    max_length: fc.integer({ min: 0, max: 10 }),
    multi_select: fc.boolean(),
    is_scrollable: fc.boolean(),
    is_draggable: fc.boolean(),
    is_checked: fc.boolean(),
    is_selected: fc.boolean(),
    is_expanded: fc.boolean(),
    read_only: fc.boolean(),
    layout: fc.constantFrom('row', 'column'),
    context_menu: id,
    shortcut: fc.constantFrom('ctrl+s', 'F2'),
    modal: fc.boolean(),
  },
  { requiredKeys: [] },
)

/** A tree of elements that uses every id once, so that rules always find their elements. */
const interfaces: fc.Arbitrary<VirtualInputElementDescription[]> = fc
  .tuple(
    ...IDS.map((element_id, i) =>
      fc.record(
        {
          element_id: fc.constant(element_id),
          element_type: i === 0 ? fc.constant('window') : fc.constantFrom(...TYPES),
          label_text: fc.option(word),
          value: fc.option(fc.oneof(word, finite, fc.boolean())),
          is_enabled: fc.option(fc.boolean()),
          is_focused: fc.option(fc.boolean()),
          is_visible: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, fc.boolean()),
          bounds_relative: fc.option(
            fc.tuple(
              fc.double({ min: -1, max: 2, noNaN: true }),
              fc.double({ min: -1, max: 2, noNaN: true }),
              fc.double({ min: 0, max: 2, noNaN: true }),
              fc.double({ min: 0, max: 2, noNaN: true }),
            ),
          ),
          attributes,
        },
        { requiredKeys: ['element_id', 'element_type'] },
      ),
    ),
    fc.array(fc.nat(), { minLength: IDS.length, maxLength: IDS.length }),
  )
  .map((drawn) => {
    const parents = drawn.at(-1) as number[]
    const elements = (drawn.slice(0, -1) as VirtualInputElementDescription[]).map((e) => ({ ...e }))
    elements.forEach((el, i) => {
      const parent = i < 2 ? undefined : elements[(parents[i] ?? 0) % i]
      if (parent) (parent.children ??= []).push(el)
    })
    return elements.slice(0, 2)
  })

const point = { x: fc.double({ min: -50, max: 1350, noNaN: true }), y: fc.double({ min: -50, max: 850, noNaN: true }) }
const button = fc.constantFrom('left' as const, 'right' as const, 'middle' as const)
const key = fc.oneof(fc.constantFrom(...NAMED_KEYS), fc.constantFrom('a', 'c', 'v', 'x', 'z', 'y', ' ', '漢', '😀', '1'))
type Target = { target: number }
const targeted = { target: fc.nat() }
const steps = fc.oneof(
  fc.record({ do: fc.constant('click' as const), ...targeted, button }),
  fc.record({
    do: fc.constant('pointer' as const),
    events: fc.array(
      fc.oneof(
        fc.record({ type: fc.constant('move' as const), ...point }),
        fc.record({ type: fc.constantFrom('down' as const, 'up' as const), button }),
        fc.record({ type: fc.constant('wheel' as const), dx: fc.integer({ min: -9, max: 9 }), dy: fc.integer({ min: -9, max: 9 }) }),
        fc.record({ type: fc.constant('pause' as const), ms: fc.integer({ min: -5, max: 5000 }) }),
      ),
      { maxLength: 8 },
    ),
  }),
  fc.record({
    do: fc.constant('keys' as const),
    events: fc.array(fc.record({ type: fc.constantFrom('down' as const, 'up' as const), key }), { maxLength: 8 }),
  }),
  fc.record({ do: fc.constant('text' as const), text: fc.string({ unit: 'grapheme', maxLength: 40 }) }),
  fc.record({
    do: fc.constantFrom('press' as const, 'focus' as const, 'expand' as const, 'collapse' as const, 'select' as const, 'reveal' as const),
    ...targeted,
  }),
  fc.record({
    do: fc.constant('setText' as const),
    ...targeted,
    text: word,
    mode: fc.constantFrom('insert' as const, 'replace' as const, 'append' as const),
  }),
  fc.record({ do: fc.constant('setValue' as const), ...targeted, value: fc.double() }),
  fc.record({
    do: fc.constant('window' as const),
    ...targeted,
    op: fc.constantFrom(
      'activate' as const,
      'move' as const,
      'resize' as const,
      'minimize' as const,
      'maximize' as const,
      'restore' as const,
      'close' as const,
    ),
    rect: fc.record(
      { x: fc.integer({ min: -99, max: 2000 }), y: fc.integer(), w: fc.integer({ min: -9, max: 3000 }), h: fc.double() },
      { requiredKeys: [] },
    ),
  }),
)

async function carryOut(
  driver: VirtualDriver,
  lease: string,
  drawn: typeof steps extends fc.Arbitrary<infer T> ? T : never,
): Promise<void> {
  const { nodes } = await driver.observe.read({}, ctx)
  const node = 'target' in drawn ? nodes[(drawn as Target).target % Math.max(1, nodes.length)] : undefined
  const step: Step =
    drawn.do === 'click'
      ? {
          do: 'pointer',
          events: [
            { type: 'move', x: (node?.bounds?.x ?? 0) + 2, y: (node?.bounds?.y ?? 0) + 2 },
            { type: 'down', button: drawn.button },
            { type: 'up', button: drawn.button },
          ],
        }
      : 'target' in drawn
        ? { ...drawn, key: node?.key ?? 'none' }
        : drawn
  try {
    await driver.act.step(lease, step, {}, ctx)
  } catch (e) {
    if (!(e instanceof DeskhandError) || e.code === 'INTERNAL') throw e
  }
}

/** What must hold of every desktop at every moment. */
function invariants(driver: VirtualDriver, nodes: FlatNode[]): void {
  const focused = nodes.filter((n) => n.states?.focused)
  expect(focused.length).toBeLessThanOrEqual(1)
  expect(focused.every((n) => n.states?.enabled)).toBe(true)
  expect(nodes.filter((n) => n.states?.active).length).toBeLessThanOrEqual(1)
  expect(new Set(nodes.map((n) => n.key)).size).toBe(nodes.length)
  const { screen } = driver.state()
  for (const { bounds, states } of nodes) {
    expect(bounds !== undefined).toBe(states?.visible)
    if (bounds)
      expect(
        bounds.w > 0 &&
          bounds.h > 0 &&
          bounds.x >= 0 &&
          bounds.y >= 0 &&
          bounds.x + bounds.w <= screen.width &&
          bounds.y + bounds.h <= screen.height,
      ).toBe(true)
  }
}

/** A reader that only follows the changes ends up with the same tree as one that reads it anew. */
function follow(mirror: Map<string, FlatNode>, told: Awaited<ReturnType<VirtualDriver['observe']['changes']>>): void {
  if ('reset' in told) throw new Error('the log was too short')
  for (const c of told.changes) {
    if (c.type === 'put') mirror.set(c.node.key, c.node)
    if (c.type === 'gone') drop(mirror, c.key)
  }
}

function drop(mirror: Map<string, FlatNode>, gone: string): void {
  mirror.delete(gone)
  for (const [key, node] of [...mirror]) if (node.parent === gone) drop(mirror, key)
}

test('no interface and no sequence of steps crashes, hangs or breaks what must hold, and the changes tell the whole story', async () => {
  await fc.assert(
    fc.asyncProperty(interfaces, fc.array(steps, { maxLength: 25 }), async (ui, sequence) => {
      const driver = openVirtual({ ui })
      const lease = await driver.act.take(60_000, ctx)
      const first = await driver.observe.read({}, ctx)
      const mirror = new Map(first.nodes.map((n) => [n.key, n]))
      let { cursor } = first
      for (const step of sequence) {
        await carryOut(driver, lease, step)
        const told = await driver.observe.changes(cursor, 0, ctx)
        follow(mirror, told)
        if ('cursor' in told) ({ cursor } = told)
        const { nodes } = await driver.observe.read({}, ctx)
        invariants(driver, nodes)
        expect([...mirror.values()].toSorted(byKey)).toEqual([...nodes].toSorted(byKey))
      }
      await driver.observe.render((await driver.observe.capture({}, ctx)).id, { hide: [], as: 'png' }, ctx)
      driver.load(JSON.parse(JSON.stringify(driver.describe())))
      await driver.close()
    }),
    { numRuns: RUNS, interruptAfterTimeLimit: 60_000 },
  )
}, 300_000)

const byKey = (a: FlatNode, b: FlatNode): number => (a.key < b.key ? -1 : 1)

const KINDS = [
  'text_field',
  'text_area',
  'password_field',
  'checkbox',
  'switch',
  'slider',
  'spin',
  'toggle_button',
  'select',
  'list',
  'tree',
  'tabs',
  'radio_group',
]

/** Scrolling a window may move and hide what is in it. */
const GEOMETRY = new Set(['bounds_relative', 'is_visible'])

/** One of everything, each twice: enabled, and disabled. */
const pairs: VirtualInputElementDescription[] = KINDS.flatMap((element_type, i) =>
  ['on', 'off'].map((state, column): VirtualInputElementDescription => {
    const id = `${element_type}-${state}`
    const part =
      element_type === 'tree' ? 'tree_item' : element_type === 'tabs' ? 'tab' : element_type === 'radio_group' ? 'radio' : 'option'
    const compound = ['select', 'list', 'tree', 'tabs', 'radio_group'].includes(element_type)
    return {
      element_id: id,
      element_type,
      is_enabled: state === 'on',
      bounds_relative: [column * 0.5 + 0.02, i * 0.075 + 0.01, 0.45, 0.07],
      value: compound ? null : element_type === 'slider' || element_type === 'spin' ? 20 : element_type.includes('text') ? 'text' : null,
      children: compound ? ['a', 'b'].map((name) => ({ element_id: `${id}-${name}`, element_type: part, label_text: name })) : null,
    }
  }),
)

test('a disabled element never changes by what is done to it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 10, maxLength: 40 }), async (sequence) => {
      const driver = openVirtual({ ui: pairs })
      const lease = await driver.act.take(60_000, ctx)
      const off = (): unknown =>
        JSON.parse(
          JSON.stringify(
            driver.describe().filter((d) => !d.is_enabled),
            (name, value: unknown) => (GEOMETRY.has(name) ? undefined : value),
          ),
        )
      const before = off()
      for (const step of sequence) {
        await carryOut(driver, lease, step)
        expect(off()).toEqual(before)
      }
      await driver.close()
    }),
    { numRuns: 4 * RUNS, interruptAfterTimeLimit: 60_000 },
  )
}, 300_000)

test('waiting never hangs, whatever timers an interface sets', async () => {
  const tick = {
    do: 'after',
    ms: 1,
    then: [
      { do: 'increment', element: 'n' },
      { do: 'submit', element: 'n' },
    ],
  }
  const driver = openVirtual({
    ui: [
      { element_id: 'n', element_type: 'label', value: 0, attributes: { on: { submit: [tick], click: [{ do: 'submit', element: 'n' }] } } },
    ],
  })
  const lease = await driver.act.take(1000, ctx)
  await driver.act.step(lease, { do: 'press', key: driver.keyOf('n') ?? '' }, {}, ctx)
  let { cursor } = await driver.observe.read({}, ctx)
  for (let i = 0; i < 50; i++) {
    const told = await driver.observe.changes(cursor, 60_000, within(60_000))
    if ('cursor' in told) ({ cursor } = told)
  }
  expect(driver.state().nowMs).toBe(50)
  await driver.close()
})

import { expect, test } from 'vitest'
import { ctx, el, Hand, win } from './kit.ts'

const two = [
  win('a', 'A', [el('text_field', 'fa', 'Field')], { bounds_relative: [0.1, 0.1, 0.4, 0.4] }),
  win('b', 'B', [el('text_field', 'fb', 'Field')], { bounds_relative: [0.3, 0.3, 0.4, 0.4] }),
]

test('a click brings a window to the front, and the focus stays where it was in each', async () => {
  const hand = new Hand(two)
  expect(await hand.states('b')).toMatchObject({ active: true })
  await hand.click('fa')
  expect([await hand.states('a'), await hand.states('b')]).toMatchObject([{ active: true }, { active: false }])
  const overlap = { x: 1280 * 0.35, y: 800 * 0.45 }
  expect((await hand.driver.observe.hit(overlap, ctx)).window).toBe(hand.key('a'))
  await hand.step({ do: 'window', key: hand.key('b'), op: 'activate' })
  expect(hand.focused()).toBe('fb')
  expect((await hand.driver.observe.hit(overlap, ctx)).window).toBe(hand.key('b'))
})

test('a window moves by its title bar, resizes by its corner and closes by its button', async () => {
  const hand = new Hand(two)
  const before = (await hand.node('b')).bounds
  const title = { x: (before?.x ?? 0) + 40, y: (before?.y ?? 0) + 10 }
  await hand.drag(title, { x: title.x + 100, y: title.y - 50 })
  const moved = (await hand.node('b')).bounds
  expect(moved).toMatchObject({ x: (before?.x ?? 0) + 100, y: (before?.y ?? 0) - 50, w: before?.w, h: before?.h })
  const corner = { x: (moved?.x ?? 0) + (moved?.w ?? 0) - 5, y: (moved?.y ?? 0) + (moved?.h ?? 0) - 5 }
  await hand.drag(corner, { x: corner.x - 60, y: corner.y + 20 })
  expect((await hand.node('b')).bounds).toMatchObject({ w: (before?.w ?? 0) - 60, h: (before?.h ?? 0) + 20 })
  await hand.step({ do: 'window', key: hand.key('b'), op: 'move', rect: { x: 10, y: 20 } })
  const { bounds } = await hand.node('b')
  expect(bounds).toMatchObject({ x: 10, y: 20 })
  const close = { x: 10 + (bounds?.w ?? 0) - 12, y: 30 }
  await hand.step({
    do: 'pointer',
    events: [
      { type: 'move', ...close },
      { type: 'down', button: 'left' },
      { type: 'up', button: 'left' },
    ],
  })
  expect(hand.driver.keyOf('b')).toBeUndefined()
  expect(await hand.states('a')).toMatchObject({ active: true })
})

test('a minimised window shows nothing and comes back as it was', async () => {
  const hand = new Hand(two)
  await hand.click('fb')
  await hand.step({ do: 'window', key: hand.key('b'), op: 'minimize' })
  expect(await hand.states('fb')).toMatchObject({ visible: false })
  expect(await hand.states('a')).toMatchObject({ active: true })
  await hand.step({ do: 'window', key: hand.key('b'), op: 'activate' })
  expect(await hand.states('fb')).toMatchObject({ visible: true, focused: true })
  await hand.step({ do: 'window', key: hand.key('b'), op: 'maximize' })
  expect((await hand.node('b')).bounds).toEqual({ x: 0, y: 0, w: 1280, h: 800 })
  await hand.step({ do: 'window', key: hand.key('b'), op: 'restore' })
  expect((await hand.node('b')).bounds).toMatchObject({ w: 512 })
})

test('a modal dialog has to be answered first', async () => {
  const hand = new Hand({
    windows: [
      win('main', 'Main', [
        el('button', 'ask', 'Ask', { attributes: { on: { click: [{ do: 'open', element: 'dlg' }] } } }),
        el('check_box', 'c', 'Check'),
        el('button', 'again', 'Again'),
      ]),
      el('dialog', 'dlg', 'Sure?', {
        is_visible: false,
        children: [el('button', 'yes', 'Yes', { attributes: { on: { click: [{ do: 'close' }] } } })],
      }),
    ],
  })
  expect((await hand.driver.observe.read({}, ctx)).nodes.map((n) => n.name)).not.toContain('Sure?')
  const check = await hand.at('c')
  await hand.click('ask')
  expect(await hand.states('dlg')).toMatchObject({ active: true, modal: true })
  await hand.step({
    do: 'pointer',
    events: [
      { type: 'move', ...check },
      { type: 'down', button: 'left' },
      { type: 'up', button: 'left' },
    ],
  })
  expect(await hand.states('c')).toMatchObject({ checked: false })
  await expect(hand.step({ do: 'press', key: hand.key('c') })).rejects.toMatchObject({
    code: 'NOT_ACTIONABLE',
    message: expect.stringContaining('Sure?') as string,
  })
  await hand.press('Escape')
  expect(hand.driver.keyOf('dlg')).toBeUndefined()
  expect(hand.focused()).toBe('ask')
  await hand.click('c')
  expect(await hand.states('c')).toMatchObject({ checked: true })
})

test('Tab goes round in document order, past what is disabled or hidden, one stop for each group', async () => {
  const hand = new Hand([
    win('w', 'W', [
      el('button', 'b1', 'B1'),
      el('button', 'off', 'Off', { is_enabled: false }),
      el('button', 'hidden', 'Hidden', { is_visible: false }),
      el('radio_group', 'g', 'G', { children: [el('radio', 'r1', 'R1'), el('radio', 'r2', 'R2', { value: true })] }),
      el('group', 'dead', 'Dead', { is_enabled: false, children: [el('text_field', 'in_dead', 'F')] }),
      el('list', 'l', 'L', { attributes: { options: ['x', 'y'] } }),
      el('text_area', 't', 'T'),
    ]),
  ])
  const order = [hand.focused()]
  for (let i = 0; i < 4; i++) {
    await hand.press('Tab')
    order.push(hand.focused())
  }
  expect(order).toEqual(['b1', 'r2', 'l[0]', 't', 'b1'])
  await hand.press('shift+Tab')
  expect(hand.focused()).toBe('t')
  await expect(hand.step({ do: 'focus', key: hand.key('in_dead') })).rejects.toMatchObject({ code: 'NOT_ACTIONABLE' })
})

test('applications of the file can be launched, and run once', async () => {
  const hand = new Hand({ windows: [], apps: { notes: [win('n', 'Notes', [el('text_area', 't', 'T')])] } })
  expect((await hand.driver.observe.info(ctx)).can['step:launch']).toEqual({ ok: true })
  await hand.step({ do: 'launch', app: 'notes', args: [] })
  await hand.step({ do: 'launch', app: 'notes', args: [] })
  const { nodes, apps } = await hand.driver.observe.read({}, ctx)
  expect(nodes.filter((n) => n.role === 'window')).toMatchObject([{ name: 'Notes', app: 'notes' }])
  expect(apps).toMatchObject([{ id: 'notes', executable: 'virtual:notes' }])
  await expect(hand.step({ do: 'launch', app: 'constructor', args: [] })).rejects.toMatchObject({ code: 'UNKNOWN_APP' })
  const none = new Hand([])
  expect((await none.driver.observe.info(ctx)).can['step:launch']).toMatchObject({
    ok: false,
    reason: expect.stringMatching(/no applications/) as string,
  })
})

test('things are dragged onto others, into lists and to places', async () => {
  const hand = new Hand([
    win(
      'w',
      'W',
      [
        el('label', 'card', 'Card', { attributes: { is_draggable: true }, bounds_relative: [0.1, 0.05, 0.2, 0.1] }),
        el('group', 'bin', 'Bin', {
          bounds_relative: [0.6, 0.05, 0.3, 0.2],
          attributes: { on: { drop: [{ do: 'set', element: 'msg', label_text: 'dropped' }] } },
        }),
        el('label', 'msg', '', { bounds_relative: [0.1, 0.3, 0.3, 0.1] }),
        el('list', 'l', undefined, {
          bounds_relative: [0.1, 0.5, 0.3, 0.4],
          children: ['x', 'y', 'z'].map((id) => el('option', id, id, { attributes: { is_draggable: true } })),
        }),
      ],
      { bounds_relative: [0.1, 0.1, 0.6, 0.8] },
    ),
  ])
  await hand.drag(await hand.at('card'), await hand.at('bin'))
  expect(await hand.name('msg')).toBe('dropped')
  expect((await hand.node('bin')).attributes).toMatchObject({ dropped: 'card' })
  const { bounds } = await hand.node('w')
  const place = { x: (bounds?.x ?? 0) + 400, y: (bounds?.y ?? 0) + 400 }
  await hand.drag(await hand.at('card'), place)
  const at = await hand.at('card')
  expect(Math.max(Math.abs(at.x - place.x), Math.abs(at.y - place.y))).toBeLessThanOrEqual(1)
  await hand.drag(await hand.at('z'), await hand.at('x'))
  expect([await hand.node('z'), await hand.node('x'), await hand.node('y')].map((n) => n.index)).toEqual([0, 1, 2])
})

test('hovering is noticed, and leaving too', async () => {
  const on = { hover: [{ do: 'show', element: 'tip' }], leave: [{ do: 'hide', element: 'tip' }] }
  const hand = new Hand([
    win('w', 'W', [el('button', 'b', 'B', { attributes: { on } }), el('tooltip', 'tip', 'Tip', { is_visible: false })]),
  ])
  await hand.step({ do: 'pointer', events: [{ type: 'move', ...(await hand.at('b')) }] })
  expect(hand.driver.state().hovered).toBe('b')
  expect(await hand.states('tip')).toMatchObject({ visible: true })
  await hand.step({ do: 'pointer', events: [{ type: 'move', x: 1, y: 1 }] })
  expect(await hand.states('tip')).toMatchObject({ visible: false })
})

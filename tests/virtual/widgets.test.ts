import { expect, test } from 'vitest'
import { ctx, el, Hand, win } from './kit.ts'

test('radio buttons exclude each other within their group, by click and by arrow', async () => {
  const hand = new Hand([
    win('w', 'W', [
      el('radio_group', 'g', 'Size', { children: ['s', 'm', 'l'].map((id) => el('radio', id, id.toUpperCase())) }),
      el('radio', 'other', 'Other', { value: true }),
    ]),
  ])
  await hand.click('m')
  expect(await hand.states('m')).toMatchObject({ checked: true, focused: true })
  await hand.press('ArrowDown')
  expect([await hand.states('m'), await hand.states('l'), await hand.states('other')]).toMatchObject([
    { checked: false },
    { checked: true },
    { checked: true },
  ])
  await hand.press('ArrowDown')
  expect(await hand.states('s')).toMatchObject({ checked: true, focused: true })
})

test('a drop-down list opens, is chosen from by pointer and by key, and closes', async () => {
  const hand = new Hand([win('w', 'W', [el('dropdown', 'c', 'Colour', { attributes: { options: ['Red', 'Green', 'Blue'] } })])])
  expect(await hand.states('c[1]')).toMatchObject({ visible: false })
  await hand.click('c')
  expect(await hand.states('c')).toMatchObject({ expanded: true })
  await hand.click('c[1]')
  expect(await hand.value('c')).toBe('Green')
  expect(await hand.states('c')).toMatchObject({ expanded: false, focused: true })
  await hand.press('ArrowDown')
  expect(await hand.value('c')).toBe('Blue')
  await hand.press('alt+ArrowDown')
  expect(await hand.states('c')).toMatchObject({ expanded: true })
  await hand.press('Escape')
  expect(await hand.states('c')).toMatchObject({ expanded: false })
})

test('several items of a list are chosen with Control and Shift', async () => {
  const hand = new Hand([
    win('w', 'W', [el('list', 'l', 'Files', { attributes: { options: ['a', 'b', 'c', 'd', 'e'], multi_select: true } })]),
  ])
  await hand.click('l[1]')
  await hand.step({ do: 'keys', events: [{ type: 'down', key: 'Shift' }] })
  await hand.click('l[3]')
  expect((await hand.step({ do: 'keys', events: [{ type: 'up', key: 'Shift' }] })).held).toEqual([])
  expect(await hand.value('l')).toBe('b, c, d')
  await hand.step({ do: 'keys', events: [{ type: 'down', key: 'Control' }] })
  expect((await hand.click('l[2]')).held).toEqual(['Control'])
  await hand.step({ do: 'keys', events: [{ type: 'up', key: 'Control' }] })
  expect(await hand.value('l')).toBe('b, d')
  await hand.press('ctrl+a')
  expect(await hand.value('l')).toBe('a, b, c, d, e')
})

test('a list that lets one choose one thing jumps to what is typed', async () => {
  const hand = new Hand([win('w', 'W', [el('list', 'l', undefined, { attributes: { options: ['apple', 'banana', 'blueberry'] } })])])
  await hand.press('Tab', 'b')
  expect(await hand.value('l')).toBe('banana')
  await hand.press('b')
  expect(await hand.value('l')).toBe('blueberry')
  expect(hand.focused()).toBe('l[2]')
})

test('sliders and spin buttons keep to their limits and steps', async () => {
  const hand = new Hand([
    win('w', 'W', [
      el('slider', 's', undefined, { value: 50, attributes: { min: 0, max: 100, step: 10 } }),
      el('spin', 'n', undefined, { value: 3, attributes: { min: 1, max: 5 } }),
      el('progress_bar', 'p', undefined, { value: 40 }),
    ]),
  ])
  await hand.click('s', { part: { x: 0.99, y: 0.5 } })
  expect(await hand.value('s')).toBe('100')
  await hand.press('ArrowLeft', 'ArrowLeft')
  expect(await hand.value('s')).toBe('80')
  await hand.drag(await hand.at('s', { x: 0.8, y: 0.5 }), await hand.at('s', { x: 0.31, y: 0.5 }))
  expect(await hand.value('s')).toBe('30')
  await hand.step({ do: 'setValue', key: hand.key('n'), value: 99 })
  expect(await hand.value('n')).toBe('5')
  await hand.click('n', { part: { x: 0.6, y: 0.5 } })
  await hand.press('ArrowDown', 'Home')
  expect(await hand.value('n')).toBe('4')
  await expect(hand.step({ do: 'setValue', key: hand.key('p'), value: 1 })).rejects.toMatchObject({ code: 'NOT_CAPABLE' })
})

test('a spin button is typed into, and forgets what is no number within its limits', async () => {
  const hand = new Hand([win('w', 'W', [el('spin', 'n', 'Count', { value: 3, attributes: { min: 1, max: 50 } }), el('button', 'b', 'B')])])
  await hand.step({ do: 'focus', key: hand.key('n') })
  await hand.press('ctrl+a')
  await hand.type('4x2')
  expect(await hand.value('n')).toBe('42')
  await hand.type('9')
  expect(await hand.value('n')).toBe('429')
  await hand.press('Tab')
  expect(await hand.value('n')).toBe('42')
})

test('a tab shows its own children only', async () => {
  const hand = new Hand([
    win('w', 'W', [
      el('tabs', 't', undefined, {
        children: [
          el('tab', 't1', 'One', { children: [el('button', 'b1', 'First')] }),
          el('tab', 't2', 'Two', { children: [el('button', 'b2', 'Second')] }),
        ],
      }),
    ]),
  ])
  expect(await hand.visible()).toEqual(['w', 't', 't1', 'b1', 't2'])
  await hand.click('b1')
  await hand.click('t2')
  expect(await hand.visible()).toEqual(['w', 't', 't1', 't2', 'b2'])
  await hand.press('ArrowLeft')
  expect(await hand.states('t1')).toMatchObject({ selected: true, focused: true })
})

test('a tree opens and closes its branches by arrow, by its handle and by step', async () => {
  const hand = new Hand([
    win('w', 'W', [
      el('tree', 't', 'Folders', {
        children: [
          el('tree_item', 'inbox', 'Inbox', { children: [el('tree_item', 'work', 'Work'), el('tree_item', 'home', 'Home')] }),
          el('tree_item', 'sent', 'Sent'),
        ],
      }),
    ]),
  ])
  expect(await hand.visible()).not.toContain('work')
  await hand.click('inbox')
  await hand.press('ArrowRight', 'ArrowDown')
  expect(await hand.value('t')).toBe('Work')
  await hand.press('ArrowLeft', 'ArrowLeft')
  expect(await hand.states('inbox')).toMatchObject({ expanded: false, selected: true })
  await hand.click('inbox', { part: { x: 0.01, y: 0.5 } })
  expect(await hand.visible()).toContain('home')
  await hand.step({ do: 'collapse', key: hand.key('inbox') })
  expect(await hand.visible()).not.toContain('home')
})

test('a table has a header and rows that can be chosen, and says so cell by cell', async () => {
  const hand = new Hand([
    win('w', 'W', [
      el('table', 't', 'Mails', {
        attributes: {
          columns: ['From', 'Subject'],
          rows: [
            ['Ann', 'Hello'],
            ['Bob', 'Re: Hello'],
          ],
        },
      }),
    ]),
  ])
  expect((await hand.node('t[header][0]')).role).toBe('columnheader')
  await hand.click('t[1][0]')
  expect(await hand.states('t[1]')).toMatchObject({ selected: true, focused: true })
  expect(await hand.value('t')).toBe('Bob\tRe: Hello')
  await hand.click('t[header][1]')
  expect(await hand.value('t')).toBe('Bob\tRe: Hello')
})

test('what does not fit scrolls, and what is scrolled away cannot be seen or hit', async () => {
  const names = Array.from({ length: 40 }, (_, i) => `item ${i}`)
  const hand = new Hand([win('w', 'W', [el('list', 'l', undefined, { attributes: { options: names } })])])
  expect(await hand.states('l[39]')).toMatchObject({ visible: false })
  expect((await hand.node('l[39]')).bounds).toBeUndefined()
  const over = await hand.at('l')
  await hand.step({
    do: 'pointer',
    events: [
      { type: 'move', ...over },
      { type: 'wheel', dx: 0, dy: 1000 },
    ],
  })
  expect(await hand.states('l[39]')).toMatchObject({ visible: true })
  expect(await hand.states('l[0]')).toMatchObject({ visible: false })
  await hand.step({ do: 'reveal', key: hand.key('l[0]') })
  const at = await hand.at('l[0]')
  expect((await hand.driver.observe.hit(at, ctx)).node).toBe(hand.key('l[0]'))
  await hand.click('l[0]')
  await hand.press('End')
  expect(await hand.value('l')).toBe('item 39')
  expect(await hand.states('l[39]')).toMatchObject({ visible: true, focused: true })
})

test('a menu works by keyboard alone, submenus and check items included', async () => {
  const hand = new Hand([
    win('w', 'W', [
      el('menu_bar', 'bar', undefined, {
        children: [
          el('menu', 'file', 'File', {
            children: [el('menu_item', 'open', 'Open'), el('menu', 'recent', 'Recent', { children: [el('menu_item', 'r1', 'a.txt')] })],
          }),
          el('menu', 'view', 'View', { children: [el('check_menu_item', 'wrap', 'Wrap')] }),
        ],
      }),
      el('text_field', 'f', 'Field'),
    ]),
  ])
  await hand.click('f')
  await hand.press('F10', 'ArrowDown', 'ArrowRight')
  expect(await hand.states('r1')).toMatchObject({ visible: true, selected: true })
  await hand.press('Escape')
  await hand.type('ignored')
  expect(await hand.value('f')).toBe('')
  await hand.press('ArrowUp', 'ArrowRight', 'Enter')
  expect(await hand.states('wrap')).toMatchObject({ checked: true, visible: false })
  expect(hand.focused()).toBe('f')
})

test('a right click opens the context menu of what it hits, and a click beside it closes it', async () => {
  const hand = new Hand([
    win('w', 'W', [
      el('list', 'l', undefined, { attributes: { options: ['a', 'b'], context_menu: 'm' } }),
      el('menu', 'm', undefined, {
        children: [el('menu_item', 'del', 'Delete', { attributes: { on: { click: [{ do: 'remove', element: 'l[1]' }] } } })],
      }),
      el('label', 'rest', 'Rest'),
    ]),
  ])
  expect(await hand.visible()).not.toContain('del')
  await hand.click('l[1]', { button: 'right' })
  expect(await hand.visible()).toContain('del')
  await hand.step({
    do: 'pointer',
    events: [
      { type: 'move', x: 1270, y: 790 },
      { type: 'down', button: 'left' },
      { type: 'up', button: 'left' },
    ],
  })
  expect(await hand.visible()).not.toContain('del')
  await hand.press('ContextMenu')
  await hand.press('ArrowDown', 'Enter')
  expect(hand.driver.keyOf('l[1]')).toBeUndefined()
})

test('a link, a toggle button, a switch and a thing of an unknown type behave as far as they can', async () => {
  const hand = new Hand([
    win('w', 'W', [
      el('link', 'a', 'Docs', { attributes: { href: 'https://example.org/' } }),
      el('toggle_button', 't', 'Bold'),
      el('switch', 's', 'Wi-Fi'),
      el('flux_capacitor', 'x', 'Flux', { attributes: { on: { click: [{ do: 'set', element: 'x', label_text: 'Fluxed' }] } } }),
    ]),
  ])
  expect(await hand.node('a')).toMatchObject({ role: 'link', attributes: { href: 'https://example.org/' } })
  await hand.click('t')
  await hand.click('s')
  await hand.click('x')
  expect(await hand.states('t')).toMatchObject({ pressed: true })
  expect(await hand.states('s')).toMatchObject({ checked: true })
  expect(await hand.node('x')).toMatchObject({ role: 'unknown', name: 'Fluxed' })
})

test('a drop-down list wider and longer than the screen stays on it', async () => {
  const options = Array.from({ length: 200 }, (_, i) => `Choice ${i}`)
  const hand = new Hand([win('w', 'W', [el('select', 's', undefined, { bounds_relative: [0, 0.5, 1.5, 0.1], attributes: { options } })])])
  await hand.step({ do: 'expand', key: hand.key('s') })
  const { width, height } = hand.driver.state().screen
  const shown = (await hand.driver.observe.read({}, ctx)).nodes.filter((n) => n.name?.startsWith('Choice') && n.bounds)
  expect(shown.length).toBeGreaterThan(10)
  for (const { bounds } of shown) expect(bounds && bounds.x + bounds.w <= width && bounds.y + bounds.h <= height).toBe(true)
})

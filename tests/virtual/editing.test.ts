import { expect, test } from 'vitest'
import { ctx, el, Hand, win } from './kit.ts'

const form = (...fields: ReturnType<typeof el>[]): unknown => [win('w', 'W', fields)]

test('the caret moves by character, word and line, and Shift selects', async () => {
  const hand = new Hand(form(el('text_field', 'f', 'F', { value: 'one two three' })))
  await hand.step({ do: 'focus', key: hand.key('f') })
  await hand.press('ctrl+ArrowLeft', 'Backspace')
  await hand.type('+')
  expect(await hand.value('f')).toBe('one two+three')
  await hand.press('Home', 'ctrl+shift+ArrowRight')
  await hand.type('1')
  expect(await hand.value('f')).toBe('1 two+three')
  await hand.press('End', 'shift+ArrowLeft', 'shift+ArrowLeft', 'Delete')
  expect(await hand.value('f')).toBe('1 two+thr')
  await hand.press('ctrl+Backspace')
  expect(await hand.value('f')).toBe('1 two+')
})

test('cut, copy and paste share one clipboard with the desktop', async () => {
  const hand = new Hand(form(el('text_field', 'a', 'A', { value: 'source' }), el('text_field', 'b', 'B')))
  await hand.step({ do: 'focus', key: hand.key('a') })
  await hand.press('ctrl+a', 'ctrl+x')
  expect(await hand.value('a')).toBe('')
  expect(await hand.driver.observe.readClipboard(ctx)).toBe('source')
  await hand.press('Tab', 'ctrl+v', 'ctrl+v')
  expect(await hand.value('b')).toBe('sourcesource')
  await hand.step({ do: 'clipboard', text: 'two\nlines' })
  await hand.press('ctrl+a', 'ctrl+v')
  expect(await hand.value('b')).toBe('two lines')
})

test('undo takes back a run of typing at a time and redo brings it back', async () => {
  const hand = new Hand(form(el('text_area', 'n', 'N', { value: 'start ' })))
  await hand.step({ do: 'focus', key: hand.key('n') })
  await hand.type('typed')
  await hand.press('ctrl+a', 'Delete')
  await hand.press('ctrl+z')
  expect(await hand.value('n')).toBe('start typed')
  await hand.press('ctrl+z')
  expect(await hand.value('n')).toBe('start ')
  await hand.press('ctrl+y')
  expect(await hand.value('n')).toBe('start typed')
  await hand.press('ctrl+shift+z')
  expect(await hand.value('n')).toBe('')
})

test('the caret moves between the lines of a text area, wrapped ones included', async () => {
  const hand = new Hand(form(el('text_area', 'n', 'N', { value: 'first\nsecond\nthird', bounds_relative: [0.1, 0.1, 0.3, 0.5] })))
  await hand.step({ do: 'focus', key: hand.key('n') })
  await hand.press('ArrowUp', 'Home')
  await hand.type('> ')
  await hand.press('ctrl+Home', 'End')
  await hand.type('!')
  expect(await hand.value('n')).toBe('first!\n> second\nthird')
  await hand.press('Enter')
  await hand.type('new')
  expect(await hand.value('n')).toBe('first!\nnew\n> second\nthird')
})

test('a character of several code points is one step of the caret', async () => {
  const hand = new Hand(form(el('text_field', 'f', 'F', { value: 'a👩‍👩‍👧é' })))
  await hand.step({ do: 'focus', key: hand.key('f') })
  await hand.press('Backspace', 'ArrowLeft')
  await hand.type('|')
  expect(await hand.value('f')).toBe('a|👩‍👩‍👧')
})

test('a click puts the caret where it hits, a double click takes the word, a third click all of it', async () => {
  const hand = new Hand(form(el('text_field', 'f', undefined, { value: 'alpha beta gamma' })))
  await hand.click('f', { part: { x: 0.02, y: 0.5 } })
  await hand.type('>')
  expect(await hand.value('f')).toBe('>alpha beta gamma')
  await hand.click('f', { part: { x: 0.1, y: 0.5 }, count: 2 })
  await hand.type('X')
  expect(await hand.value('f')).toBe('>X beta gamma')
  await hand.click('f', { part: { x: 0.1, y: 0.5 }, count: 3 })
  await hand.type('all')
  expect(await hand.value('f')).toBe('all')
})

test('dragging over a text selects it', async () => {
  const hand = new Hand(form(el('text_field', 'f', undefined, { value: 'keep drop' })))
  const from = await hand.at('f', { x: 0.2, y: 0.5 })
  await hand.drag(from, { ...from, x: from.x + 200 })
  await hand.press('ctrl+c')
  const copied = await hand.driver.observe.readClipboard(ctx)
  expect('keep drop'.endsWith(copied)).toBe(true)
  expect(copied.length).toBeGreaterThan(0)
})

test('clicks of two separate steps are two clicks, not a double click, while time stands still', async () => {
  const hand = new Hand([
    win('w', 'W', [el('label', 'l', 'L', { attributes: { on: { double_click: [{ do: 'set', element: 'l', label_text: 'opened' }] } } })]),
  ])
  await hand.click('l')
  await hand.click('l')
  expect(await hand.name('l')).toBe('L')
  await hand.click('l', { count: 2 })
  expect(await hand.name('l')).toBe('opened')
})

test('limits and read-only fields hold, and a limited field says what was cut', async () => {
  const hand = new Hand(
    form(
      el('text_field', 'f', 'F', { attributes: { max_length: 3 } }),
      el('text_area', 'r', 'R', { value: 'fixed', attributes: { read_only: true } }),
    ),
  )
  expect(await hand.step({ do: 'setText', key: hand.key('f'), text: 'abcdef', mode: 'replace' })).toMatchObject({
    sent: 'partial',
    units: 6,
  })
  expect(await hand.value('f')).toBe('abc')
  await hand.step({ do: 'focus', key: hand.key('f') })
  await hand.type('d')
  expect(await hand.value('f')).toBe('abc')
  await hand.step({ do: 'focus', key: hand.key('r') })
  await hand.type('x')
  await hand.press('ctrl+a', 'Delete', 'ctrl+x')
  expect(await hand.value('r')).toBe('fixed')
  await expect(hand.step({ do: 'setText', key: hand.key('r'), text: 'x', mode: 'append' })).rejects.toMatchObject({ code: 'NOT_CAPABLE' })
})

test('a password can be typed and never read: not in trees, not in the clipboard, not in rules', async () => {
  const hand = new Hand(
    form(
      el('password_field', 'p', 'Password', { attributes: { on: { change: [{ do: 'set', element: 'l', label_text: 'leak: {p}' }] } } }),
      el('label', 'l', ''),
    ),
  )
  const { cursor } = await hand.driver.observe.read({ maxNodes: 1 }, ctx)
  await hand.click('p')
  await hand.type('hunter2')
  await hand.press('ctrl+a', 'ctrl+c', 'ctrl+x')
  const all = JSON.stringify([
    await hand.driver.observe.read({}, ctx),
    await hand.driver.observe.changes(cursor, 0, ctx),
    hand.driver.describe(),
  ])
  expect(all).not.toContain('hunter2')
  expect(await hand.driver.observe.readClipboard(ctx)).toBe('')
  expect(await hand.value('p')).toBe('•••••••')
})

test('shifted keys type what a keyboard would', async () => {
  const hand = new Hand(form(el('text_field', 'f', 'F')))
  await hand.click('f')
  await hand.press('shift+h', 'i', 'shift+1', 'shift+=', '+', 'space', 'Ä')
  expect(await hand.value('f')).toBe('Hi!++ Ä')
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DeskhandError } from '@deskhand/core/errors'
import { parseUiFile } from './ui-file.ts'

const bad = (input: unknown): unknown => {
  try {
    parseUiFile(input)
    return undefined
  } catch (e) {
    if (!(e instanceof DeskhandError) || e.code !== 'BAD_UI_FILE') throw e
    return (e.details as { path: string }).path
  }
}
const button = (id: string, rest: object = {}): object => ({ element_id: id, element_type: 'button', ...rest })

test.each([
  ['a missing id', [{ element_type: 'button' }], '[0].element_id'],
  ['a wrong type', { windows: [button('w', { children: [button('b', { is_enabled: 'yes' })] })] }, 'windows[0].children[0].is_enabled'],
  ['bounds of three numbers', [button('b', { bounds_relative: [0, 0, 1] })], '[0].bounds_relative'],
  ['a negative width', [button('b', { bounds_relative: [0, 0, -1, 1] })], '[0].bounds_relative[2]'],
  ['a field that the description does not have', [button('b', { lable_text: 'x' })], '[0]'],
  ['an id twice', [button('b'), button('b')], '[1].element_id'],
  ['an event that there is not', [button('b', { attributes: { on: { klick: [] } } })], '[0].attributes.on.klick'],
  ['a rule that there is not', [button('b', { attributes: { on: { click: [{ do: 'explode' }] } } })], '[0].attributes.on.click[0].do'],
  [
    'a rule about a missing element',
    [button('b', { attributes: { on: { click: [{ do: 'hide', element: 'x' }] } } })],
    '[0].attributes.on.click[0].element',
  ],
  [
    'a late rule about a missing element',
    [button('b', { attributes: { on: { click: [{ do: 'after', ms: 5, then: [{ do: 'show', element: 'x' }] }] } } })],
    '[0].attributes.on.click[0].then[0].element',
  ],
  ['a shortcut of no keys', [button('b', { attributes: { shortcut: 'ctrl+nothing' } })], '[0].attributes.shortcut'],
  ['a screen of no size', { windows: [], screen: { width: 0, height: 10 } }, 'screen.width'],
  ['text that is not JSON', '{', ''],
  ['a number', 7, ''],
  ['nothing', null, ''],
])('%s is refused with its path', (_what, input, path) => {
  expect(bad(input)).toBe(path)
})

test('every problem is listed, not only the first', () => {
  try {
    parseUiFile([{ element_type: 'button' }, { element_id: 'x' }])
    expect.unreachable()
  } catch (e) {
    expect((e as DeskhandError).details).toMatchObject({ problems: [{ path: '[0].element_id' }, { path: '[1].element_type' }] })
  }
})

test('every field of the description may be null or left out, but for the two that are required', () => {
  const nothing = {
    label_text: null,
    value: null,
    is_enabled: null,
    is_focused: null,
    is_visible: null,
    bounds_relative: null,
    children: null,
    attributes: null,
  }
  expect(parseUiFile([{ element_id: 'a', element_type: 'button', ...nothing }, button('b')]).windows).toHaveLength(2)
})

test('a file that nests without end, or is endless, is refused and does not crash', () => {
  let deep: object = button('x')
  for (let i = 0; i < 5000; i++) deep = button(`x${i}`, { children: [deep] })
  expect(bad([deep])).toBe('')
  expect(bad(Array.from({ length: 160_000 }, (_, i) => button(`b${i}`)))).toBe('')
  const loop: Record<string, unknown> = { element_id: 'l', element_type: 'group' }
  loop['children'] = [loop]
  expect(bad([loop])).toBe('')
})

test('a file may describe a hundred thousand elements', () => {
  const ui = parseUiFile(Array.from({ length: 100_000 }, (_, i) => button(`b${i}`)))
  expect(ui.windows).toHaveLength(100_000)
})

test('a value that is not JSON is refused', () => {
  expect(bad([button('b', { value: { deep: [1n] } })])).toBe('')
})

test('whatever is given, the answer is a user interface or BAD_UI_FILE', () => {
  fc.assert(fc.property(fc.anything({ withNullPrototype: true, withMap: true, withBigInt: true }), (input) => void bad(input)))
  fc.assert(fc.property(fc.json(), (input) => void bad(input)))
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (input) => void bad(input)))
})

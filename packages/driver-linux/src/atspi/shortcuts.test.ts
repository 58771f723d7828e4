import { expect, test } from 'vitest'
import { shortcutsIn } from './shortcuts.ts'

test.each([
  ['', []],
  ['<Alt>d', ['alt+d']],
  ['n;<Alt>f:n;<Control>n', ['n', 'ctrl+n']],
  ['n;<Alt>f:n;<Primary><Shift>n', ['n', 'ctrl+shift+n']],
  [';;F11', ['f11']],
  ['Alt+D', ['alt+d']],
  ['Ctrl+Shift+S', ['ctrl+shift+s']],
  ['<Control>Delete', ['ctrl+delete']],
  ['<Alt>', []],
  ['<Nonsense>q', ['q']],
  ['a'.repeat(1000), []],
])('the binding %j is the chords %j', (binding, chords) => {
  expect(shortcutsIn(binding)).toEqual(chords)
})

import { expect, test } from 'vitest'
import { recordingPort } from './fixtures/recording-port.ts'
import { excerpt } from './excerpt.ts'
import { interpretScript } from './run.ts'

const where = async (script: string): Promise<string | undefined> =>
  (await interpretScript(script, { port: recordingPort(), pause: 0 })).error?.where

test.each([
  ['x = 1\nimport os\n', '   2 | import os\n     | ^'],
  ['x = 1\nfor i in range(2):\n    print(foo)\n', '   3 |     print(foo)\n     |           ^'],
  ["a = 'ä'; b = a.zap()\n", "   1 | a = 'ä'; b = a.zap()\n     |              ^"],
  ['x = 1\ny = x + "a"\n', '   2 | y = x + "a"\n     |     ^'],
  ["pyautogui.press('nokey')\n", "   1 | pyautogui.press('nokey')\n     | ^"],
  ['x = (1,\n', '   1 | x = (1,\n     |        ^'],
])('%j is shown with its place', async (script, expected) => {
  expect(await where(script)).toBe(expected)
})

test('an exception keeps the place where it was raised, not where it was caught last', async () => {
  expect(await where('def f():\n    return 1 // 0\nf()\n')).toContain('   2 |     return 1 // 0')
})

test('a long line is cut around the place', () => {
  const shown = excerpt(`${'a'.repeat(300)}X${'b'.repeat(300)}`, 1, 301)!.split('\n')
  expect(shown[0]!.length).toBeLessThan(120)
  expect(shown[0]![shown[1]!.indexOf('^')]).toBe('X')
  expect(excerpt('', 1, 1)).toBeUndefined()
  expect(excerpt('a\r\nb', 2, 1)).toBe('   2 | b\n     | ^')
})

import { DeskhandError } from '@deskhand/core/errors'
import { describe, expect, test } from 'vitest'
import { validateScript } from './validate.ts'

const reason = (script: string, profile: 'strict' | 'agent' = 'agent'): string => {
  try {
    validateScript(script, { profile })
    return 'accepted'
  } catch (thrown) {
    if (!(thrown instanceof DeskhandError)) throw thrown
    return thrown.message
  }
}

test('a good script returns nothing', () => {
  expect(validateScript('pyautogui.click(1, 2)')).toBeUndefined()
})

test('a rejection carries the code, the line, the column and one sentence', () => {
  const script = "x = 1\nif x:\n    y = open('a')\n"
  expect(() => validateScript(script)).toThrow(
    expect.objectContaining({
      code: 'BAD_SCRIPT',
      exitCode: 2,
      details: { line: 3, column: 9, reason: 'the name open is not available; files cannot be reached' },
    }),
  )
  expect(reason(script)).toBe('line 3, column 9: the name open is not available; files cannot be reached')
})

test('columns count characters, not bytes', () => {
  expect(reason("x = 'é漢😀'; os.system('x')")).toMatch(/^line 1, column 13: /)
})

describe('the strict profile', () => {
  test.each([
    'pyautogui.moveTo(100, 100); pyautogui.click()',
    'time.sleep(0.5)',
    "for i in range(3):\n    pyautogui.press('tab')\n",
    'x = 0\nwhile x < 3:\n    x += 1\n    if x == 2:\n        break\n',
    "d = {'a': (1, 2), 'b': [3]}\npyautogui.click(d['a'][0], d['b'][0])",
    'pyautogui.PAUSE = 0.5',
  ])('takes %j', (script) => expect(reason(script, 'strict')).toBe('accepted'))

  test.each([
    ['pyautogui.FAILSAFE = False', 'does not switch the fail-safe off'],
    ['x = pyautogui.FAILSAFE = False', 'does not switch the fail-safe off'],
    ['import os', 'imports are not allowed'],
    ['import pyautogui', 'imports are not allowed'],
    ['from time import sleep', 'imports are not allowed'],
    ['open("x.txt","w")', 'open() is not allowed'],
    ['print(1)', 'print() is not allowed'],
    ['x = len([1])', 'len() is not allowed'],
    ['def f(): pass', 'FunctionDef is not allowed'],
    ['try:\n    pass\nexcept: pass', 'Try is not allowed'],
    ['x = [i for i in range(3)]', 'ListComp is not allowed'],
    ["x = f'{1}'", 'JoinedStr is not allowed'],
    ["'a'.upper()", 'the method upper is not available'],
    ['time.time()', 'time.time is not allowed'],
    ['x = time.sleep', 'only calls of time are allowed'],
    ['random.random()', 'the method random is not available; only functions of pyautogui and time can be called'],
    ['x = pyautogui.position().x', 'the attribute x is not available'],
    ['x = (lambda: 1)()', 'only functions of pyautogui and time'],
    ['pyautogui.click(**{})', '** is not allowed'],
    ['pyautogui.click(*[1, 2])', 'Starred is not allowed'],
  ])('refuses %j', (script, why) => expect(reason(script, 'strict')).toContain(why))
})

describe('the agent profile says what to do instead', () => {
  test.each([
    ["pyautogui.type('x')", 'pyautogui.type is not available; use pyautogui.write()'],
    ['pyautogui.clik(1, 2)', 'did you mean click?'],
    ['pyautogui.click(foo=1)', "pyautogui.click() has no argument 'foo'; it takes x, y, clicks, interval, button, duration, tween"],
    ['pyautogui.press()', 'pyautogui.press() missing 1 required positional argument'],
    ["pyautogui.screenshot('x.png')", 'screenshots cannot be saved; keep the returned image'],
    ['import subprocess', 'the module subprocess is not available; programs cannot be started'],
    ['class A: pass', 'classes are not available; use functions, dicts and tuples'],
    ['prnt(1)', 'did you mean print?'],
    ["x = 'a\nb'", 'the string does not end on its line; write \\n for a line break'],
    ['x = “a”', '“ is not a quote that Python knows'],
    ['x =\u00a01', 'the space U+00A0 is not allowed here'],
    ['größe = 1', 'names can only have ASCII letters, digits and _'],
    ['time = 5', "'time' is the module time here; choose another name"],
    ["'{0.x}'.format(1)", 'use an f-string'],
    ['if 1:\n\tx = 1\n\tif x:\n            y = 2\n', 'indent with spaces or with tabs, not with both'],
    ["with open('x') as f: pass", "only pyautogui.hold(...) can stand after 'with'; files cannot be reached"],
    ['with 5: pass', "only pyautogui.hold(...) can stand after 'with'"],
    ['return 1', "'return' outside of a function; exit() ends the script"],
    ['click(1, 2)', 'the name click is not available; write pyautogui.click'],
    ['sleep(1)', 'the name sleep is not available; write pyautogui.sleep'],
    ['DONE', 'the name DONE is not available; it is a reply of its own, not a line of a script'],
    ['x = 3j', 'complex numbers are not available; use two floats'],
    ['x = 012', 'a whole number cannot start with 0; write 12, or 0o12 for an octal one'],
    ['x = 5if 1 else 2', 'put a space after the number'],
    ['x = 1__0', '1__0 is not a number that Python knows'],
    ["x = 'it's'", 'a quote inside needs a backslash or the other kind of quotes around'],
    ['x = 1\f', 'the control character U+000C is not allowed; remove it, or write \\x0c in a string'],
    ["x = '\\ud800'", '\\ud800 is half of a character; write the whole one with \\U and 8 digits'],
    ['```python\npyautogui.click(1, 2)\n```', '` is not allowed here; leave the marks of the code block out'],
    ['pyautogui.click(100，200)', '， is not allowed here; write ,'],
    ['x = 1 – 2', '– is not allowed here; write -'],
    ['x = a && b', 'Python has no &&; write and'],
    ['x = a || b', 'Python has no ||; write or'],
    ['x = !a', '! is not allowed here; write not'],
    ['x = a ? b : c', '? is not allowed here; write b if a else c'],
    ['x = 1\nx++', 'line 2, column 4: this is not valid Python: the end of the line is unexpected; to count up write += 1'],
    ["print 'hi'", "something is missing before 'hi': an operator, a comma or a line break; print needs parentheses"],
    ['x = 1 y = 2', 'something is missing before y: an operator, a comma or a line break'],
    ['pyautogui.click(1, 2) pyautogui.press("a")', 'something is missing before pyautogui'],
    ["x = 'é' y", 'something is missing before y'],
    ['x = 1)', "')' has no '(' before it"],
    ['x = = 1', 'the sign = is unexpected here'],
    ['if x = 1: pass', "Expected ':' after if condition; to compare write =="],
    ['if 1:\npass', 'Expected indented block; an empty one needs pass'],
    ['while 1:\n    x = 1\n  y = 2', 'the indentation fits no line above'],
    ['x = *[1]', 'a starred expression cannot stand here; put it into a list'],
    ['from typing import List', 'the module typing is not available; annotations need no import: list, dict, str'],
    ['import datetime', 'the module datetime is not available; use time.time()'],
    ['x = []\nx.push(1)', 'the method push is not available; use append()'],
    ["x = 'a'.length", 'the attribute length is not available; use len()'],
    ['@f\ndef g(): pass', 'line 1, column 2: decorators are not available'],
  ])('%j', (script, why) => expect(reason(script)).toContain(why))
})

test('a name of one letter is not taken for another', () => {
  expect(reason('x = 1\nf(x)')).toBe('line 2, column 1: the name f is not available')
  expect(reason('x = 1\nx.z')).toBe('line 2, column 1: the attribute z is not available')
})

test('modules that a script shadows without importing them are plain names', () => {
  expect(reason('math = 5\nprint(math)')).toBe('accepted')
  expect(reason('import math\nmath = 5')).toContain('choose another name')
})

test('line ends and a byte order mark do not matter', () => {
  expect(reason('\ufeffif 1:\r\n    pyautogui.click(1, 2)\r\n')).toBe('accepted')
})

test('a script that is too long or too deep is refused, not parsed to death', () => {
  expect(reason('x = 1\n'.repeat(10_000))).toContain('at most 32768 characters')
  expect(reason(`x = ${'['.repeat(41)}${']'.repeat(41)}`)).toContain('brackets nest deeper')
  expect(reason(`x = ${'-'.repeat(20_000)}1`)).toContain('nests too deeply')
  expect(reason(`x = ${'1 + '.repeat(5000)}1`)).toContain('nest')
})

import { expect, test } from 'vitest'
import { parseAgentReply } from './reply.ts'

test('a bare script is a script', () => {
  expect(parseAgentReply('pyautogui.click(1, 2)\n')).toEqual([{ kind: 'script', script: 'pyautogui.click(1, 2)' }])
})

test('the words WAIT, DONE and FAIL are understood bare, fenced and decorated', () => {
  expect(parseAgentReply('WAIT')).toEqual([{ kind: 'wait' }])
  expect(parseAgentReply('```\nDONE\n```')).toEqual([{ kind: 'done' }])
  expect(parseAgentReply(' **FAIL**. ')).toEqual([{ kind: 'fail' }])
  expect(parseAgentReply('```DONE```')).toEqual([{ kind: 'done' }])
})

test('a word inside a sentence is not a command', () => {
  expect(parseAgentReply('I am DONE here, I think')).toEqual([{ kind: 'text', text: 'I am DONE here, I think' }])
})

test('fenced code is taken out of the prose around it', () => {
  const reply = 'First I click.\n\n```python\npyautogui.click(1, 2)\n```\nThen I type:\n```\npyautogui.write("a")\nDONE\n```\n'
  expect(parseAgentReply(reply)).toEqual([
    { kind: 'script', script: 'pyautogui.click(1, 2)' },
    { kind: 'script', script: 'pyautogui.write("a")' },
    { kind: 'done' },
  ])
})

test('a fence that is never closed still holds its code', () => {
  expect(parseAgentReply('```python\ntime.sleep(1)')).toEqual([{ kind: 'script', script: 'time.sleep(1)' }])
})

test('parts are split by the delimiter on a line of its own', () => {
  expect(parseAgentReply('I will wait.\n---DELIMITER---\ntime.sleep(1)\n---DELIMITER---\nDONE')).toEqual([
    { kind: 'text', text: 'I will wait.' },
    { kind: 'script', script: 'time.sleep(1)' },
    { kind: 'done' },
  ])
  expect(parseAgentReply("pyautogui.write('---DELIMITER---')")).toEqual([{ kind: 'script', script: "pyautogui.write('---DELIMITER---')" }])
})

test('code with a mistake is still code, so that the checks can name the mistake', () => {
  expect(parseAgentReply('pyautogui.click(1,')).toEqual([{ kind: 'script', script: 'pyautogui.click(1,' }])
})

test('an indented block is brought to the margin', () => {
  expect(parseAgentReply('```python\n    x = 1\n    if x:\n        time.sleep(x)\n```')).toEqual([
    { kind: 'script', script: 'x = 1\nif x:\n    time.sleep(x)' },
  ])
})

test('nothing is nothing', () => {
  expect(parseAgentReply('')).toEqual([])
  expect(parseAgentReply('\n---DELIMITER---\n \n')).toEqual([])
})

import { expect, test } from 'vitest'
import { parseAgentReply, type AgentReply } from './reply.ts'

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

const click: AgentReply = { kind: 'script', script: 'pyautogui.click(1, 2)' }
const done: AgentReply = { kind: 'done' }
const words = (text: string): AgentReply => ({ kind: 'text', text })

test.each<[string, AgentReply[]]>([
  ['done', [done]],
  ['Done.', [done]],
  ['\u200bDONE\n', [done]],
  ['DONE # saved', [done]],
  ['`wait`', [{ kind: 'wait' }]],
  ['DONE - the file is saved', [words('the file is saved'), done]],
  ['FAIL: there is no such menu.', [words('there is no such menu.'), { kind: 'fail' }]],
  ['WAIT (the page is loading)', [words('the page is loading'), { kind: 'wait' }]],
  ['WAIT 5', [words('5'), { kind: 'wait' }]],
  ['The file is saved.\n\nDONE', [words('The file is saved.'), done]],
  ['DONE\n\nThe file is saved.', [done, words('The file is saved.')]],
  ['Action: DONE', [done]],
  ['**Action:** `FAIL`', [{ kind: 'fail' }]],
  ['Done with the first step, two to go.', [words('Done with the first step, two to go.')]],
  ['WAITING for the page', [words('WAITING for the page')]],
])('a word is found in %j', (reply, found) => expect(parseAgentReply(reply)).toEqual(found))

test.each<[string, AgentReply[]]>([
  ['```python\npyautogui.click(1, 2)\n```\nDONE', [click, done]],
  ['```python\npyautogui.click(1, 2)\n```\n\n`DONE`\n', [click, done]],
  ['pyautogui.click(1, 2); DONE', [click, done]],
  ['pyautogui.click(1, 2)\nDONE', [click, done]],
  ['```python pyautogui.click(1, 2)```', [click]],
  ['```pyautogui.click(1, 2)```', [click]],
  ['I click: ```python\npyautogui.click(1, 2)```', [click]],
  ['`pyautogui.click(1, 2)`', [click]],
  ['~~~py\npyautogui.click(1, 2)\n~~~', [click]],
  ['```Python title="a.py"\r\npyautogui.click(1, 2)\r\n```\r\n', [click]],
  ['1. First\n   ```python\n   pyautogui.click(1, 2)\n   ```\n', [click]],
  ['````markdown\n```python\npyautogui.click(1, 2)\n```\n````', [click]],
  ['```json\n{"thought": "click"}\n```\n```python\npyautogui.click(1, 2)\n```', [click]],
  ['<think>\nPerhaps\n```python\npyautogui.click(9, 9)\n```\nNo.</think>\n```python\npyautogui.click(1, 2)\n```', [click]],
  ['Action: pyautogui.click(1, 2)', [click]],
  ['I click the button.\npyautogui.click(1, 2)', [click]],
  ['pyautogui.click(1, 2)\n\nThis clicks the button.', [click]],
  ['```python\npyautogui.click(1, 2)\n---DELIMITER---\npyautogui.click(1, 2)\n```\n', [click, click]],
  ['I click. ---DELIMITER--- pyautogui.click(1, 2) ---DELIMITER--- DONE', [click, done]],
  ['```bash\nls\n```', [words('ls')]],
  ['```\n```', []],
  ['```python\n# nothing to do\n```', [{ kind: 'script', script: '# nothing to do' }]],
])('code is found in %j', (reply, found) => expect(parseAgentReply(reply)).toEqual(found))

test('a script may type the marks of a code block', () => {
  const script = "pyautogui.write('''\n```js\nlet x = 1\n```\n''')\npyautogui.press('enter')"
  expect(parseAgentReply(`So:\n\`\`\`python\n${script}\n\`\`\`\nDONE`)).toEqual([{ kind: 'script', script }, done])
})

test('a long reply of nothing but marks is read in time', () => {
  expect(parseAgentReply('```\n~~~\n'.repeat(40_000)).every((part) => part.kind !== 'done')).toBe(true)
  for (const piece of [
    '` ',
    '`',
    '~',
    '<think>',
    '</think>',
    '<think></think>',
    ' ',
    ';',
    '; ',
    'DONE: ',
    'DONE\n',
    '```\n---DELIMITER---\n',
    'Action: ',
    '```a```\n',
    '```a` ',
  ])
    expect(Array.isArray(parseAgentReply(`DONE: x${piece.repeat(400_000 / piece.length)}y`))).toBe(true)
})

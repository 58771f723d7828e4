import { expect, test } from 'vitest'
import { parseAction } from './action.ts'

const problems = (args: unknown): string[] => {
  const read = parseAction('click', args)
  return read.ok ? [] : read.problems
}

test('a missing argument is called missing, and a misspelt one is answered with the right one', () => {
  expect(problems({ tarrget: 'role=button' })).toEqual(['target is missing', 'there is no argument "tarrget" (did you mean target?)'])
  expect(problems({})).toEqual(['target is missing'])
  expect(problems({ target: 'role=button', colour: 1 })[0]).toMatch(/no argument "colour" \(there are: target, button/)
})

test('a bad value is told with the field', () => {
  expect(problems({ target: 'role=button', button: 'top' })[0]).toMatch(/^button: .*left/)
  expect(problems([])).not.toEqual([])
  expect(problems('x')).not.toEqual([])
})

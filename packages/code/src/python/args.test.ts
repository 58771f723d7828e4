import { expect, test } from 'vitest'
import fc from 'fast-check'
import { PythonArgs, readArgs } from './args.ts'

test('code wins over file', () => {
  expect(readArgs({ code: 'print(1)', file: '@project/a.py' })).toEqual({ script: { code: 'print(1)' }, args: [] })
})

test('without code the file is taken, with its arguments', () => {
  expect(readArgs({ file: '@project/a.py', args: ['x', ''] })).toEqual({ script: { alias: '@project/a.py' }, args: ['x', ''] })
})

test.each([[{}], [{ args: ['x'] }], [{ code: '' }], [{ code: '', file: '' }]])('neither code nor file is an error: %j', (sent) => {
  expect(() => readArgs(sent)).toThrow('python.run needs code or file.')
})

test.each([
  ['an unknown parameter', { code: '1', timeout: 5 }],
  ['a code that is not text', { code: 1 }],
  ['arguments that are not a list', { code: '1', args: 'x' }],
  ['an argument that is not text', { code: '1', args: [1] }],
  ['a NUL in the code', { code: 'a\0b' }],
  ['a NUL in an argument', { code: '1', args: ['a\0b'] }],
  ['more code than is allowed', { code: '#'.repeat(1_000_001) }],
  ['nothing at all', undefined],
  ['a list', [{ code: '1' }]],
])('%s is refused', (_, sent) => {
  expect(() => readArgs(sent)).toThrow(expect.objectContaining({ code: 'BAD_ARGS' }))
})

test('any input is either valid or BAD_ARGS', () => {
  fc.assert(
    fc.property(fc.anything(), (sent) => {
      try {
        expect(readArgs(sent).args).toBeInstanceOf(Array)
      } catch (error) {
        expect(error).toMatchObject({ code: 'BAD_ARGS' })
      }
    }),
  )
})

test('the schema has the three parameters and no more', () => {
  expect(Object.keys(PythonArgs.shape)).toEqual(['code', 'file', 'args'])
})

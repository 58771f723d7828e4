import { expect, test } from 'vitest'
import fc from 'fast-check'
import { BYTES_PER_CHAR, Output } from './output.ts'

test('what fits is kept whole, however it was cut into chunks', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 50 }), fc.array(fc.nat(60)), (text, cuts) => {
      const output = new Output(1000)
      let rest = Buffer.from(text)
      for (const cut of cuts) {
        output.push(rest.subarray(0, cut))
        rest = rest.subarray(cut)
      }
      output.push(rest)
      expect(output.text()).toEqual({ text, truncated: false })
    }),
  )
})

test('what does not fit is cut to the limit and flagged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 30, maxLength: 200 }), (text) => {
      const output = new Output(20)
      output.push(Buffer.from(text))
      const { text: kept, truncated } = output.text()
      const whole = Buffer.from(text).toString()
      expect(truncated).toBe(true)
      expect(whole.startsWith(kept)).toBe(true)
      expect(kept.length).toBeGreaterThanOrEqual(19)
      expect(kept.length).toBeLessThanOrEqual(20)
    }),
  )
})

test('exactly the limit is not truncated', () => {
  const output = new Output(4)
  output.push(Buffer.from('abcd'))
  expect(output.text()).toEqual({ text: 'abcd', truncated: false })
})

test('a pair is not cut in half', () => {
  const output = new Output(2)
  output.push(Buffer.from('a😀b'))
  expect(output.text()).toEqual({ text: 'a', truncated: true })
})

test('the rest of a flood is counted, not kept', () => {
  const output = new Output(10)
  for (let i = 0; i < 1000; i++) output.push(Buffer.alloc(10_000, 'x'))
  expect(output.totalBytes).toBe(10_000_000)
  expect(output.text()).toEqual({ text: 'x'.repeat(10), truncated: true })
})

test('as many bytes as are passed on for a number of characters always fill it', () => {
  for (const char of ['a', 'é', '€', '😀']) {
    const bytes = Buffer.from(char.repeat(5000)).subarray(0, 1000 * BYTES_PER_CHAR)
    expect(bytes.toString().length).toBeGreaterThanOrEqual(1000)
  }
})

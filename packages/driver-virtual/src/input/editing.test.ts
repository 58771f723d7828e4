import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  erase,
  insert,
  moveCaret,
  newText,
  nextChar,
  nextWord,
  previousChar,
  previousWord,
  redo,
  replaceAll,
  selectedText,
  selectRange,
  undo,
  wordAt,
  type TextState,
} from './editing.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 30 })
const operation = fc.oneof(
  fc.record({ do: fc.constant('insert' as const), text, typed: fc.boolean() }),
  fc.record({ do: fc.constant('erase' as const), forward: fc.boolean(), word: fc.boolean() }),
  fc.record({ do: fc.constant('move' as const), to: fc.integer({ min: -5, max: 60 }), extend: fc.boolean() }),
  fc.record({ do: fc.constant('replace' as const), text }),
)
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

function apply(t: TextState, op: Operation): void {
  switch (op.do) {
    case 'insert':
      return insert(t, op.text, op.typed)
    case 'erase':
      return erase(t, (op.word ? (op.forward ? nextWord : previousWord) : op.forward ? nextChar : previousChar)(t.text, t.caret))
    case 'move':
      return moveCaret(t, op.to, op.extend)
    case 'replace':
      return replaceAll(t, op.text)
    default:
      op satisfies never
  }
}

const face = ({ text: all, caret, anchor }: TextState): unknown => ({ all, caret, anchor })

test('the caret and the selection always lie inside the text, between characters', () => {
  fc.assert(
    fc.property(text, fc.array(operation, { maxLength: 40 }), (start, operations) => {
      const t = newText(start)
      for (const op of operations) {
        apply(t, op)
        for (const at of [t.caret, t.anchor]) {
          expect(at).toBeGreaterThanOrEqual(0)
          expect(at).toBeLessThanOrEqual(t.text.length)
          expect(t.text.slice(0, at).isWellFormed() && t.text.slice(at).isWellFormed()).toBe(true)
        }
      }
    }),
  )
})

test('undoing everything restores the start exactly, and redoing everything the end', () => {
  fc.assert(
    fc.property(text, fc.array(operation, { maxLength: 40 }), (start, operations) => {
      const t = newText(start)
      for (const op of operations) apply(t, op)
      const end = t.text
      while (undo(t));
      expect(t.text).toBe(start)
      while (redo(t));
      expect(t.text).toBe(end)
    }),
  )
})

test('one undo restores text, caret and selection as they were before the last edit', () => {
  fc.assert(
    fc.property(text, fc.array(operation, { maxLength: 20 }), fc.integer({ min: 0, max: 40 }), text, (start, operations, to, typed) => {
      const t = newText(start)
      for (const op of operations) apply(t, op)
      moveCaret(t, to, true)
      const before = face(t)
      insert(t, typed)
      if (typed === '' && selectedText(t) === '') return
      undo(t)
      expect(face(t)).toEqual(before)
    }),
  )
})

test('words are found from both sides', () => {
  const line = 'one  two, über-drei'
  expect(nextWord(line, 0)).toBe(3)
  expect(nextWord(line, 3)).toBe(8)
  expect(previousWord(line, line.length)).toBe(15)
  expect(previousWord(line, 15)).toBe(10)
  expect(wordAt(line, 6)).toEqual([5, 8])
  expect(wordAt('', 0)).toEqual([0, 0])
})

test('selecting from the right leaves the caret on the left', () => {
  const t = newText('abcdef')
  selectRange(t, 5, 2)
  expect([selectedText(t), t.caret]).toEqual(['cde', 2])
})

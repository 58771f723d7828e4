import { expect, test } from 'vitest'
import type { Ink } from './ink.ts'
import { alikeToldApart } from './letters.ts'
import type { Glyph } from './recognize.ts'
import { wordsIn } from './spaces.ts'

/** Ink of letters, each by its left edge, its width, its top and its foot, in a line 20 pixels high. */
function drawn(letters: readonly (readonly [text: string, x: number, w: number, top: number])[]): { glyphs: Glyph[]; ink: Ink } {
  const width = Math.max(...letters.map(([, x, w]) => x + w)) + 3
  const marks = new Uint8Array(width * 20)
  for (const [, x, w, top] of letters) for (let row = top; row < 16; row++) marks.fill(1, row * width + x, row * width + x + w)
  return { ink: { width, height: 20, marks }, glyphs: letters.map(([text, x, w]) => ({ text, x: x + w / 2, confidence: 1 })) }
}
const read = (letters: Parameters<typeof drawn>[0]): string => {
  const { glyphs, ink } = drawn(letters)
  return alikeToldApart(wordsIn(glyphs, ink), ink)
    .map((word) => word.map((g) => g.text).join(''))
    .join(' ')
}

const [CAPITAL, SMALL] = [4, 7]

test('a wide gap between letters is a space that the model dropped, a narrow one is none', () => {
  const word = (gap: number) =>
    read([
      ['N', 0, 8, CAPITAL],
      ['e', 10, 7, SMALL],
      ['w', 19, 9, SMALL],
      ['m', 28 + gap, 10, SMALL],
      ['e', 40 + gap, 7, SMALL],
    ])
  expect(word(6)).toBe('New me')
  expect(word(2)).toBe('Newme')
})

test('a gap beside a thin letter is no space where all letters are equally wide', () => {
  const letters = ['f', 'i', 'l', 'l', 'e', 'd', 'i', 't'].map(
    (char, i) => [char, i * 9 + (/[il]/.test(char) ? 4 : 0), /[il]/.test(char) ? 2 : 8, 4] as const,
  )
  expect(read(letters)).toBe('filledit')
})

/** Letters one after the other, two pixels apart. */
const inRow = (text: string, top: (char: string) => number): Parameters<typeof drawn>[0] => {
  let x = 0
  return [...text].map((char) => {
    const w = /[lI]/.test(char) ? 2 : 7
    x += w + 2
    return [char, x - w - 2, w, top(char)] as const
  })
}

test('an l before a consonant at the beginning is a capital i, an i between small letters is an l', () => {
  const line = (text: string) => read(inRow(text, (char) => (/[lItd]/.test(char) ? CAPITAL : SMALL)))
  expect(line('lcon')).toBe('Icon')
  expect(line('lano')).toBe('lano')
  expect(line('deIete')).toBe('delete')
})

test('a stroke alone is a capital i, and with a foot a one', () => {
  const page = (w: number) =>
    read([...[...'Page'].map((char, i) => [char, i * 9, 7, i === 0 ? CAPITAL : SMALL] as const), ['l', 42, w, CAPITAL]])
  expect(page(2)).toBe('Page I')
  expect(page(6)).toBe('Page 1')
})

test('digits tell that what looks like a letter among them is none', () => {
  const text = [...'1O:3l'].map((char, i) => [char, i * 9, 6, CAPITAL] as const)
  expect(read(text)).toBe('10:31')
})

test('a letter that is as high as capitals is one', () => {
  const name = (top: number) =>
    read([
      ['o', 0, 8, top],
      ['t', 10, 4, CAPITAL],
      ['t', 16, 4, CAPITAL],
      ['e', 22, 7, SMALL],
      ['n', 31, 7, SMALL],
    ])
  expect(name(CAPITAL)).toBe('Otten')
  expect(name(SMALL)).toBe('otten')
  expect(read(inRow('otto', () => SMALL).map(([char, x, w, top], i) => [char, x, w, i === 0 ? CAPITAL : i === 3 ? top : 2] as const))).toBe(
    'Otto',
  )
})

test('an access key behind another script is a capital', () => {
  const text = inRow('窗口(w)', () => SMALL)
  expect(read(text)).toContain('(W)')
})

test('an accent over an i leans, a point does not', () => {
  const over = (top: readonly number[]) => {
    const { glyphs, ink } = drawn([
      ['S', 0, 7, CAPITAL],
      ['i', 10, 2, SMALL],
    ])
    for (const [row, x] of top.entries()) ink.marks.fill(1, (3 + row) * ink.width + x, (3 + row) * ink.width + x + 2)
    return alikeToldApart([glyphs], ink).flatMap((word) => word.map((g) => g.text))
  }
  expect(over([11, 10])).toEqual(['S', 'í'])
  expect(over([10, 10])).toEqual(['S', 'i'])
})

test('a typographic apostrophe leans, a straight one does not', () => {
  const apostrophe = (foot: number) => {
    const { glyphs, ink } = drawn([
      ['l', 0, 2, CAPITAL],
      ["'", 5, 2, 16],
      ['a', 10, 7, SMALL],
    ])
    for (const row of [4, 5]) ink.marks.fill(1, row * ink.width + 5, row * ink.width + 7)
    ink.marks.fill(1, 6 * ink.width + 5, 6 * ink.width + 5 + foot)
    return alikeToldApart([glyphs], ink).flatMap((word) => word.map((g) => g.text))[1]
  }
  expect(apostrophe(1)).toBe('’')
  expect(apostrophe(2)).toBe("'")
})

test('three points are one sign, however far apart they stand', () => {
  expect(
    read([
      ['a', 0, 7, SMALL],
      ['b', 9, 7, CAPITAL],
      ['.', 20, 2, 14],
      ['.', 26, 2, 14],
      ['.', 32, 2, 14],
    ]),
  ).toBe('ab...')
})

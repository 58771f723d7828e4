import { expect, test } from 'vitest'
import type { Region } from '../../model/index.ts'
import { privateText } from '../../redaction/index.ts'
import { privateIn, PrivatePixels } from './private-pixels.ts'

const { text: maskText } = privateText({ own: {} })

/** A line whose letters are 10 px wide. */
function line(text: string): Region {
  let x = 100
  const words = text.split(' ').map((word) => {
    const rect = { x, y: 50, w: word.length * 10, h: 16 }
    x += (word.length + 1) * 10
    return { text: word, rect, confidence: 0.9 }
  })
  return { rect: { x: 100, y: 50, w: text.length * 10, h: 16 }, source: 'ocr', confidence: 0.9, text, words }
}

test.each([
  ['Card 4111 1111 1111 1111 expires soon', { x: 147, w: 196 }],
  ['Mail ada@example.org today', { x: 147, w: 156 }],
  ['ada@example.org and bob@example.org', { x: 97, w: 356 }],
])('of "%s" the words are hidden that look private', (text, place) => {
  expect(privateIn(line(text), maskText)).toMatchObject([place])
})

test.each(['ada @example. org', 'Card4111111111111111valid', 'Card 4lll 1111 1111 1111'])(
  'a line is hidden whole that looks private only when it is read a little differently: %s',
  (text) => {
    expect(privateIn(line(text), maskText)).toMatchObject([{ x: 97, w: text.length * 10 + 6 }])
  },
)

test('what does not look private is not hidden', () => {
  expect(privateIn(line('Order 48-1093 is due on 12/05/2026'), maskText)).toEqual([])
})

test('what could not be read is hidden whole', async () => {
  const forMasks = (): Promise<never> => Promise.reject(new Error('took too long'))
  const [area] = await new PrivatePixels({
    recognition: { forMasks },
    redactor: { text: (t) => t },
    privateText: () => ({ text: maskText }),
  }).look({ id: 'a', role: 'agent' })
  expect(area!.rect.w).toBeGreaterThan(100_000)
})

import { expect, test } from 'vitest'
import { Vision } from '@deskhand/vision'
import { drawn, score, type Score } from './pages.ts'
import { pagesOf, TEXTS } from './screens.ts'

/** Least share of words that are read exactly, in percent. What is missing here is read, and with more faults. */
const BARS: Readonly<Record<string, number>> = { en: 97, de: 98, fr: 92, es: 98, zh: 95 }

test.each(TEXTS.filter(({ language }) => language in BARS))(
  'words of $language are read as a browser draws them, at their places',
  async (text) => {
    const vision = new Vision({ images: [], languages: [text.language] })
    const scores: Score[] = []
    try {
      for (const page of pagesOf(text)) {
        const { picture, truth } = await drawn(page)
        const frame = { ...picture, data: new Uint8Array(picture.data), origin: { x: 0, y: 0 }, scale: 1 }
        const lines = await vision.recognize(frame, { ocr: true, images: [] }, AbortSignal.timeout(300_000))
        const words = lines.flatMap((line) => line.words ?? [])
        expect(truth.length).toBeGreaterThan(5)
        scores.push(score(truth, words))
      }
    } finally {
      await vision.close()
    }
    const words = scores.reduce((sum, s) => sum + s.words, 0)
    const right = scores.reduce((sum, s) => sum + s.right, 0)
    const off = scores.flatMap((s) => s.off).toSorted((a, b) => a - b)
    const wrong = scores.flatMap((s) => s.wrong)
    expect((100 * right) / words, wrong.join('\n')).toBeGreaterThanOrEqual(BARS[text.language] ?? 100)
    expect(off[Math.floor(off.length * 0.95)]).toBeLessThanOrEqual(4)
  },
  900_000,
)

import { expect, test } from 'vitest'
import { THEMES, type Theme } from './theme.ts'

/** What is written on what. */
const PAIRS: readonly (readonly [keyof Theme, keyof Theme])[] = [
  ...(['window', 'title', 'titleIdle', 'bar', 'field', 'button', 'hover', 'pressed', 'selected'] as const).map(
    (on) => ['text', on] as const,
  ),
  ...(['window', 'titleIdle', 'field', 'button'] as const).map((on) => ['muted', on] as const),
  ['onAccent', 'accent'],
  ['link', 'window'],
]

for (const [name, theme] of Object.entries(THEMES))
  test.each(PAIRS)(`in the ${name} theme, %s can be read on %s`, (ink, ground) => {
    expect(contrast(theme[ink], theme[ground])).toBeGreaterThanOrEqual(4.5)
  })

/** The ratio of WCAG 2. */
function contrast(a: number, b: number): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(colour: number): number {
  const [r, g, b] = [colour >> 16, (colour >> 8) & 0xff, colour & 0xff].map((c) => {
    const share = c / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * (r ?? 0) + 0.7152 * (g ?? 0) + 0.0722 * (b ?? 0)
}

import { center, contains } from '@deskhand/core/model'
import type { AppScreen, Told } from './app-screens.ts'
import type { Score, Truth } from './pages.ts'

/** What these say is drawn as they say it; buttons of other programs than dialogs may show a picture instead. */
const SAYING: ReadonlySet<string> = new Set(['label', 'checkbox', 'radio', 'columnheader', 'tab', 'cell'])

/** The texts that an application tells of its window, each once: of a button and the label in it, the label. */
export function textsOf(truth: readonly Told[], { command }: AppScreen): Truth[] {
  return truth.flatMap((told): Truth[] => {
    const isButton = told.role === 'button' && command === 'zenity'
    const isRepeated = truth.some((t) => t.parent === told.key && t.name === told.name)
    if ((!isButton && !SAYING.has(told.role)) || isRepeated || !/[\p{L}\d]/u.test(told.name)) return []
    if (isPicture(told) || NOT_READ.test(told.name)) return []
    return [{ text: told.name, rect: told.rect, isButton }]
  })
}

/** Scripts that no engine here reads and no bar is about. */
const NOT_READ = /\p{Script=Hebrew}/u

/** What is too narrow for its text shows a picture instead. */
const isPicture = ({ rect, name }: Told): boolean => rect.w < 5 * Math.min(8, name.length)

/** Three points are drawn as the sign that stands for them, and an accent as a part of its letter. */
const drawn = (text: string): string => text.normalize('NFC').replaceAll('...', '…')

type ReadWord = Pick<Truth, 'text' | 'rect'>

/** A word is right when it was read exactly inside of what says it; scripts without spaces are compared as a whole. */
export function scoreTexts(texts: readonly Truth[], read: readonly ReadWord[], isSpaced: boolean): Score {
  const result: Score = { words: 0, right: 0, buttons: 0, rightButtons: 0, off: [], wrong: [] }
  for (const { text, rect, isButton } of texts) {
    const inside = read
      .filter((w) => contains(rect, center(w.rect)))
      .toSorted((a, b) => (Math.abs(a.rect.y - b.rect.y) > a.rect.h / 2 ? a.rect.y - b.rect.y : a.rect.x - b.rect.x))
      .map((w) => drawn(w.text))
    const here = isSpaced ? [...inside] : [inside.join('').replaceAll(' ', '')]
    for (const word of isSpaced ? drawn(text).split(/\s+/).filter(Boolean) : [drawn(text).replaceAll(/\s/g, '')]) {
      // What does not fit is drawn with dots for its end.
      const at = here.findIndex((r) => r === word || (r.endsWith('…') && r.length > 2 && word.startsWith(r.slice(0, -1))))
      if (at >= 0) here.splice(at, 1)
      result.words++
      result.right += at >= 0 ? 1 : 0
      result.buttons += isButton ? 1 : 0
      result.rightButtons += isButton && at >= 0 ? 1 : 0
      if (at < 0) result.wrong.push(`${word} as ${inside.join(' ')}`)
    }
  }
  return result
}

import { readFileSync } from 'node:fs'
import type { AppScreen } from './app-screens.ts'

/** What translators of GNOME Shell, Thunar, Mousepad, HomeBank and others wrote, drawn by lot when the engines were as they are. */
const WORDS = JSON.parse(readFileSync(new URL('unseen-words.json', import.meta.url), 'utf8')) as Record<string, string[]>
const ROWS = 19

/** Windows by which nothing was made or tuned: four lists in each language, light and dark, small and large, and two programs as they are. */
export const UNSEEN: readonly AppScreen[] = Object.entries(WORDS).flatMap(([language, words], l): AppScreen[] => {
  const lists = [0, 1, 2, 3].map((n): AppScreen => {
    const size = n === 2 ? ['--width=900', '--height=960'] : ['--width=420', '--height=560']
    const rows = words.slice(n * ROWS, (n + 1) * ROWS)
    return {
      name: `list ${n} ${language}`,
      title: '',
      command: 'zenity',
      args: ['--list', '--column=1', '--hide-header', '--text=', ...size, '--', ...rows],
      language,
      dark: (n + l) % 2 === 1,
      large: n === 2,
    }
  })
  return [
    ...lists,
    { name: `editor ${language}`, title: '', command: 'mousepad', args: ['--preferences'], language, dark: l % 2 === 0 },
    { name: `file manager ${language}`, title: '', command: 'thunar', args: ['/usr'], language, dark: l % 2 === 1 },
  ]
})

import { enumerate, quoted, unlessWhole } from './say.ts'
import type { Item, Screen } from './screen.ts'
import { OPERABLE } from './subject.ts'

export const dialogOf = ({ windows: all }: Screen): Item | undefined => all.findLast((w) => w.role !== 'window' || w.states.modal === true)

/** Words by which applications tell that something went wrong. */
const TROUBLE = /\b(error|failed|failure|cannot|could not|invalid|denied|warning|not found|unable)\b/i

/** What a dialog says and offers; without one, what on the screen reads like trouble where a question is about that. */
export function dialog(asked: string, screen: Screen): string {
  const open = dialogOf(screen)
  if (open === undefined) return /\b(errors?|warn(s|ing)?|message)\b/.test(asked) ? trouble(screen) : 'No dialog is open.'
  const inside = screen.items.filter((i) => i.window === open)
  const words = inside.filter((i) => !OPERABLE.has(i.role) && i.name !== '').map((i) => quoted(i.name))
  const buttons = inside.filter((i) => i.role === 'button' && i.name !== '').map((i) => quoted(i.name))
  const says = words.length > 0 ? ` says ${enumerate([...new Set(words)])}` : ' has no text of its own'
  const held = screen.windows.filter((w) => w !== open).map((w) => quoted(w.name))
  const blocks =
    /\bblock/.test(asked) && open.states.modal === true && held.length > 0 ? ` It has to be answered before ${enumerate(held)}.` : ''
  return `The dialog ${quoted(open.name)}${says}${buttons.length > 0 ? `, with the buttons ${enumerate(buttons)}` : ''}.${blocks}`
}

function trouble(screen: Screen): string {
  const said = [...screen.items.map((i) => i.name), ...screen.read.map((r) => r.text)].filter((text) => TROUBLE.test(text))
  if (said.length > 0) return `No dialog is open; on the screen stands ${enumerate([...new Set(said)].map(quoted))}.`
  return `No: no dialog is open, and no text that I see tells of one.${unlessWhole(screen)}`
}

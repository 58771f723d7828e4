import { MODIFIERS, type KeyEvent } from '@deskhand/core/model'

/** Text, or a chord such as "Control+s", made of key events. */
export type Stroke = { do: 'text'; text: string } | { do: 'chord'; keys: string }

const WORDS: Readonly<Record<string, string>> = { ' ': 'space', '+': 'plus' }
const isModifier = (key: string): boolean => MODIFIERS.some((m) => m === key)

/** The text and chords in key events; `held` are the modifiers that are down, updated in place. */
export function strokes(events: readonly KeyEvent[], held: Set<string>): Stroke[] {
  const found: Stroke[] = []
  /** Modifiers pressed without another key so far; released alone, they are a chord of their own. */
  const idle = new Set<string>()
  for (const e of events) {
    if (e.type === 'pause') continue
    if (isModifier(e.key)) {
      if (e.type === 'down') {
        held.add(e.key)
        idle.add(e.key)
      } else if (held.delete(e.key) && idle.delete(e.key)) found.push({ do: 'chord', keys: [...held, e.key].join('+') })
    } else if (e.type === 'down') {
      idle.clear()
      add(found, e.key, held)
    }
  }
  return found
}

function add(found: Stroke[], key: string, held: ReadonlySet<string>): void {
  const last = found.at(-1)
  const written = [...key].length === 1 && [...held].every((m) => m === 'Shift')
  if (!written) found.push({ do: 'chord', keys: [...held, WORDS[key] ?? key].join('+') })
  else if (last?.do === 'text') last.text += key
  else found.push({ do: 'text', text: key })
}

import { commits, type Action } from '../model/index.ts'

/** What an action would enter, as commitments; chords and named keys stay, as they are no text. */
export function committed(action: Action, commit: (text: string) => unknown): object {
  const names = commits(action)
  const fields = Object.entries(action).filter(([name]) => names.includes(name))
  return Object.fromEntries(fields.map(([name, value]) => [name, commit(asText(value))]))
}

function asText(value: unknown): string {
  const words = [value].flat()
  return words.every((w) => typeof w === 'string') ? words.join(' ') : JSON.stringify(value)
}

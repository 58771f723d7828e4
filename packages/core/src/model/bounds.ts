/** What one call may say. More would keep other callers, and a person's stop, waiting while it is read. */
const DEEPEST = 100
const MOST_VALUES = 20_000
export const MOST_EVENTS = 2_000

/** Why arguments are refused before they are read: they go too deep for readers that go down step by step, or hold too much. */
export function beyondBounds(args: unknown, mostValues = MOST_VALUES): string | undefined {
  let count = 0
  let level = [args]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) return `the arguments are nested more than ${DEEPEST} deep`
    const next: unknown[] = []
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue
      const inside: unknown[] = Array.isArray(value) ? value : Object.values(value)
      count += inside.length
      if (count > mostValues) return `the arguments hold more than ${mostValues} values; ${SPLIT}`
      for (const one of inside) next.push(one)
    }
    level = next
  }
  return undefined
}

type Bound = [within: (list: { length: number }) => boolean, message: string]

/** For `refine`: a list or a text of which one call takes so much. */
export const atMost = (most: number, what: string): Bound => [
  (list) => list.length <= most,
  `one call takes at most ${most} ${what}; ${SPLIT}`,
]

const SPLIT = 'send the rest in calls of their own'

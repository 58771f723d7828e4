import type { Rect } from '@deskhand/core/model'
import type { Part } from '@deskhand/core/session'
import type { Told } from './app-screens.ts'

export interface RoleScore {
  /** Parts that were made out, and how many of them the application says it has there. */
  made: number
  right: number
  /** Elements that the application has, and how many of them were made out. */
  told: number
  found: number
  /** Of those found: with exactly the text that the application tells. */
  named: number
}

/** The roles that are compared, and what else counts as the same: pixels do not tell these apart. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  button: ['button', 'togglebutton'],
  checkbox: ['checkbox'],
  radio: ['radio'],
  textbox: ['textbox', 'searchbox'],
  combobox: ['combobox'],
  spinbutton: ['spinbutton'],
  columnheader: ['columnheader'],
  tab: ['tab'],
  cell: ['cell', 'listitem', 'option', 'treeitem'],
}

/** How far what was made out of pixels is what the application says of them, by role. */
export function scoreStructure(parts: readonly Part[], truth: readonly Told[]): Map<string, RoleScore> {
  const all = [...flat(parts)]
  const result = new Map<string, RoleScore>()
  for (const [role, same] of Object.entries(SAME)) {
    const made = all.filter((p) => p.role === role)
    const told = truth.filter((t) => same.includes(t.role) && isShown(t, truth))
    const pairs = told.map((t) => made.find((p) => isAt(p.rect, t.rect, role)))
    result.set(role, {
      made: made.length,
      right: made.filter((p) => truth.some((t) => same.includes(t.role) && isAt(p.rect, t.rect, role))).length,
      told: told.length,
      found: pairs.filter((p) => p !== undefined).length,
      named: told.filter((t, i) => plain(pairs[i]?.name) === plain(t.name)).length,
    })
  }
  return result
}

/** Every one that was made out and is not there, and the other way round. */
export function faults(parts: readonly Part[], truth: readonly Told[]): string[] {
  const all = [...flat(parts)]
  return Object.entries(SAME).flatMap(([role, same]) => {
    const made = all.filter((p) => p.role === role)
    const wrong = made.filter((p) => !truth.some((t) => same.includes(t.role) && isAt(p.rect, t.rect, role)))
    const missed = truth.filter((t) => same.includes(t.role) && isShown(t, truth) && !made.some((p) => isAt(p.rect, t.rect, role)))
    return [
      ...wrong.map((p) => `not a ${role}: ${p.name ?? ''} at ${at(p.rect)}, told ${told(p.rect, truth)}`),
      ...missed.map((t) => `missed ${role}: ${t.name} at ${at(t.rect)}`),
    ]
  })
}

const told = (rect: Rect, truth: readonly Told[]): string =>
  truth
    .filter((t) => isAt(rect, t.rect))
    .map((t) => t.role)
    .join(' ')

const at = ({ x, y, w, h }: Rect): string => [x, y, w, h].map(Math.round).join()

export function* flat(parts: readonly Part[]): Generator<Part> {
  for (const part of parts) {
    yield part
    yield* flat(part.children)
  }
}

/** A button that shows a picture alone has a name that no pixels tell; a field of a list is the list's. */
function isShown({ role, name, rect, parent }: Told, truth: readonly Told[]): boolean {
  if (/button$|tab|columnheader|cell|item|option/.test(role) && role !== 'spinbutton')
    return name !== '' && rect.w >= 5 * Math.min(8, name.length)
  const around = truth.find((t) => t.key === parent)
  return around === undefined || !/combobox|spinbutton/.test(around.role)
}

/** Both mean the same place: most of one lies in the other, and neither is much larger; a cell may be much wider than its text. */
function isAt(a: Rect, b: Rect, role = ''): boolean {
  const w = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x)
  const h = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y)
  if (w <= 0 || h <= 0) return false
  const [small, large] = [Math.min(a.w * a.h, b.w * b.h), Math.max(a.w * a.h, b.w * b.h)]
  return w * h > 0.6 * small && large < (role === 'cell' ? 80 : 8) * small
}

const plain = (text = ''): string => text.replaceAll(/\s+|[:：]$/g, '').toLowerCase()

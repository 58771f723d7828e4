import type { Rect } from '@deskhand/core/model'
import { capital, enumerate, holding, label, place, PROPERTIES, quoted } from './say.ts'
import type { Item, Screen } from './screen.ts'
import { isIn, OPERABLE } from './subject.ts'

const HOLDING = /\b(value|contains?|filled|entered|content|typed|says?|holds?|written|what is in|what's in)\b/
const OFFERED = /\b(options?|choices?|choose|offers?|entries|items?|available)\b/

/** What is known of one element, with what the question asks of it first. */
export function about(asked: string, item: Item, screen: Screen): string {
  const twins = screen.items.filter((i) => i.name !== '' && i.name === item.name && i.role === item.role)
  const several = twins.length > 1 ? ` There are ${twins.length} of that name.` : ''
  if (!/\bwhere\b/.test(asked)) {
    const chosen = /\b(selected|chosen|picked|highlighted|current(ly)?|set)\b/.test(asked) ? inIt(item, screen).filter(isChosen) : []
    if (chosen.length > 0) return `In ${label(item)} ${enumerate(chosen.map((i) => quoted(titleOf(i, screen))))} is selected.${several}`
    const property = PROPERTIES.find((p) => p.asked.test(asked) && p.of(item) !== undefined)
    if (property !== undefined && !isValueAsked(asked, item)) return `${judged(asked, item, property)}${several}`
    if (HOLDING.test(asked) && (item.value !== undefined || item.role === 'textbox'))
      return `${capital(label(item))} ${item.value ? `holds ${quoted(item.value)}` : 'is empty'}.${several}`
    const parts = inIt(item, screen).filter((i) => i.name !== '')
    if (OFFERED.test(asked) && item.choices !== undefined)
      return `${capital(label(item))}${item.value ? ` holds ${quoted(item.value)} and` : ''} offers ${enumerate(item.choices.map(quoted))}.`
    if (parts.length > 0 && !screen.windows.includes(item))
      return `${capital(label(item))} holds ${enumerate(parts.map((i) => (isChosen(i) ? `${quoted(i.name)} (selected)` : quoted(i.name))))}.`
    if (SAYING.has(item.role)) return `It says ${quoted(item.name)}${inWindow(item)}.${several}`
    const row = item.parent !== undefined && /cell|header/.test(item.role) ? rowOf(item.parent, screen) : ''
    if (row !== '' && item.role !== 'columnheader') return `${capital(label(item))} is in the row ${row}.`
  }
  const where = item.bounds === undefined ? ', and it does not tell where it is' : `, at ${place(item.bounds)}`
  const state = PROPERTIES.filter((p) => p.is[0] !== 'empty' && p.is[0] !== 'on').flatMap((p) => {
    const has = p.of(item)
    return p.is[0] === 'enabled' ? (item.states.enabled === false ? ['disabled'] : []) : has === true ? [p.is[0]] : []
  })
  if (item.states.focused === true) state.push('focused')
  const states = [...new Set(state)]
  return `There is ${label(item)}${inWindow(item)}${where}${holding(item)}${states.length > 0 ? `; it is ${states.join(' and ')}` : ''}.${several}`
}

const SAYING = new Set(['label', 'heading', 'paragraph', 'text that was read'])

const inWindow = ({ window }: Item): string => (window === undefined ? '' : ` in the window ${quoted(window.name)}`)

/** What a list or field that holds a choice is asked for is that, not its own state. */
const isValueAsked = (asked: string, { value, role }: Item): boolean =>
  value !== undefined && (role === 'combobox' || role === 'spinbutton' || role === 'slider') && !/\b(enabled|disabled|gr[ae]y)/.test(asked)

function judged(asked: string, item: Item, { contrary, is, of }: (typeof PROPERTIES)[number]): string {
  const isSo = is[0] === 'enabled' ? item.states.enabled !== false : of(item) === true
  const says = `${label(item)} is ${isSo ? is[0] : is[1]}`
  return /^(is|are|does|do|can|could|has|have)\b/.test(asked)
    ? `${isSo === contrary.test(asked) ? 'No' : 'Yes'}: ${says}.`
    : `${capital(says)}.`
}

const isChosen = ({ states: { selected, checked } }: Item): boolean => selected === true || checked === true

const inIt = (item: Item, { items }: Screen): Item[] => items.filter((i) => i !== item && isIn(i, item))

const titleOf = (item: Item, screen: Screen): string => (item.name === '' ? rowOf(item, screen) : item.name)

/** The cells of a row, each with the header of its column. */
export function rowOf(row: Item, { items }: Screen): string {
  const cells = items.filter((i) => i.parent === row)
  const heads = items.filter((i) => i.role === 'columnheader' && tableOf(i) === tableOf(row))
  return cells.map((cell, i) => (heads[i] === undefined ? cell.name : `${heads[i].name}: ${cell.name}`)).join(', ')
}

const tableOf = (item: Item): Item | undefined => (item.role === 'table' || item.parent === undefined ? item : tableOf(item.parent))

/** What is selected among lists, tables and tabs. */
export function chosenOf(screen: Screen, roles: readonly string[]): string | undefined {
  const chosen = screen.items.filter((i) => i.states.selected === true && (roles.includes(i.role) || i.role !== 'tab'))
  return chosen.length === 0 ? undefined : `Selected: ${enumerate(chosen.map((i) => quoted(titleOf(i, screen))))}.`
}

const SIDES: readonly (readonly [RegExp, string, (of: Rect, other: Rect) => number])[] = [
  [/\bleft of\b|\bto the left\b|\bbefore\b/, 'left of', (a, b) => a.x - (b.x + b.w)],
  [/\bright of\b|\bto the right\b|\bafter\b/, 'right of', (a, b) => b.x - (a.x + a.w)],
  [/\b(above|over|on top of)\b/, 'above', (a, b) => a.y - (b.y + b.h)],
  [/\b(below|under|beneath|underneath)\b/, 'below', (a, b) => b.y - (a.y + a.h)],
]

/** What lies nearest on one side of an element, where a question asks for that. */
export function relation(asked: string, of: Item | undefined, { items }: Screen): string | undefined {
  const side = SIDES.find(([words]) => words.test(asked))
  if (side === undefined || of?.bounds === undefined) return undefined
  const [, words, gap] = side
  const { bounds } = of
  const isBeside = / of$/.test(words)
  const near = items.flatMap((item) => {
    const { bounds: b, name, role } = item
    if (b === undefined || item === of || name === '' || item.window !== of.window || (!OPERABLE.has(role) && role !== 'label')) return []
    const shared = isBeside
      ? Math.min(bounds.y + bounds.h, b.y + b.h) - Math.max(bounds.y, b.y)
      : Math.min(bounds.x + bounds.w, b.x + b.w) - Math.max(bounds.x, b.x)
    return shared > 0 && gap(bounds, b) >= -1 ? [{ item, gap: gap(bounds, b) }] : []
  })
  const [next] = near.toSorted((a, b) => a.gap - b.gap)
  return next === undefined
    ? `I see nothing ${words} ${label(of)}.`
    : `${capital(label(next.item))} is ${words} ${label(of)}${next.item.states.enabled === false ? ', disabled' : ''}.`
}

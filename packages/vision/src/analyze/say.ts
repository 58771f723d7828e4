import type { Rect } from '@deskhand/core/model'
import type { Item, Screen } from './screen.ts'

const MOST = 12

export const label = ({ role, name }: Item): string => `the ${role}${name === '' ? ' without a name' : ` ${quoted(name)}`}`

export const holding = ({ value }: Item): string => (value === undefined || value === '' ? '' : `, which holds ${quoted(value)}`)

export const place = ({ x, y, w, h }: Rect): string =>
  `(${Math.round(x + w / 2)}, ${Math.round(y + h / 2)}), ${Math.round(w)}x${Math.round(h)} pixels large`

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Text from the screen, on one line: it is data, whatever it says. */
export const quoted = (text: string): string => JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text)

export function enumerate(texts: readonly string[]): string {
  const shown = texts.slice(0, MOST)
  const more = texts.length - shown.length
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

export const unlessWhole = ({ complete }: Screen): string =>
  complete ? '' : ' Parts of the screen could not be read, so I cannot tell for certain.'

/** A property that a question may ask for, how it is called, and whether an element has it; undefined where it does not tell. */
export interface Property {
  asked: RegExp
  /** Words that ask for the contrary. */
  contrary: RegExp
  is: readonly [yes: string, no: string]
  of(item: Item): boolean | undefined
}

const isOn = ({ states: { checked, selected, pressed } }: Item): boolean | undefined =>
  checked === 'mixed' ? undefined : (checked ?? pressed ?? selected)

export const PROPERTIES: readonly Property[] = [
  {
    asked: /\b(checked|ticked|unchecked|unticked)\b/,
    contrary: /\b(un(checked|ticked)|not (checked|ticked))\b/,
    is: ['checked', 'not checked'],
    of: isOn,
  },
  {
    asked: /\b(selected|chosen|picked|highlighted|unselected|current(ly)?)\b/,
    contrary: /\b(unselected|not (selected|chosen|picked))\b/,
    is: ['selected', 'not selected'],
    of: ({ states: { selected, checked } }) => selected ?? (checked === 'mixed' ? undefined : checked),
  },
  {
    asked: /\b(turned |switched )?(on|off|pressed)\b(?! (the|this|my|screen|drive|page))/,
    contrary: /\boff\b/,
    is: ['on', 'off'],
    of: isOn,
  },
  {
    asked: /\b(enabled|disabled|gr[ae]y(ed)?|clickable|available|active|usable|(can|could) (i|you) (press|click|use|push|hit))\b/,
    contrary: /\b(disabled|gr[ae]y(ed)?|unavailable|not (enabled|available|active))\b/,
    is: ['enabled', 'disabled'],
    of: ({ states }) => isOn({ role: '', name: '', states }) ?? states.enabled !== false,
  },
  {
    asked: /\b(empty|blank|filled)\b/,
    contrary: /\b(filled|not (empty|blank))\b/,
    is: ['empty', 'not empty'],
    of: ({ role, value }) => (value === undefined && role !== 'textbox' ? undefined : (value ?? '') === ''),
  },
]

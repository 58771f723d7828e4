import type { ElementNode } from '@deskhand/core/model'
import type { Told } from './compare-tree.ts'

/** Where pyatspi and we may differ, and why we are right or cannot know better. */
export interface Exclusion {
  reason: string
  /** What of the element is not compared. */
  ignores: 'all' | readonly ('bounds' | 'name' | 'states')[]
  of(told: Told): boolean
  /** The same, seen from our tree. */
  ofOurs?(node: ElementNode, theirs: readonly Told[]): boolean
}

export const EXCLUSIONS: readonly Exclusion[] = [
  {
    reason:
      'the X server knows better where a window is, and the window manager what it is called; GTK 3 counts its shadow in and calls a message box Information',
    ignores: ['bounds', 'name'],
    of: (t) => t.above.length === 0,
  },
  {
    reason: 'GTK 4 counts places from its window; ours are on the screen',
    ignores: ['bounds'],
    of: (t) => t.toolkit === 'GTK',
  },
  {
    reason: 'Chromium says of the chosen entry of a closed drop-down list that it shows; ours is the value of the combobox',
    ignores: 'all',
    of: (t) => t.toolkit === 'Chromium' && t.role === 'menu item' && t.above.at(-2) === 'combo box',
  },
  {
    reason: 'Qt says of the entries of a closed drop-down list that they show, at the corner of the screen',
    ignores: 'all',
    of: (t) => t.toolkit === 'Qt' && t.above.at(-2) === 'combo box' && t.bounds?.[0] === 0,
  },
]

import type { ElementNode } from '@deskhand/core/model'
import type { Told } from './compare-tree.ts'

/** Where pyatspi and we may differ, and why we are right or cannot know better. */
export interface Exclusion {
  reason: string
  /** What of the element is not compared. */
  ignores: 'all' | 'bounds' | 'name' | 'states'
  of(told: Told): boolean
  /** The same, seen from our tree. */
  ofOurs?(node: ElementNode, theirs: readonly Told[]): boolean
}

export const EXCLUSIONS: readonly Exclusion[] = [
  {
    reason: 'GTK 4 counts places from its window; ours are on the screen',
    ignores: 'bounds',
    of: (t) => t.toolkit === 'GTK',
  },
]

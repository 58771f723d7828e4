import type { ElementNode } from '@deskhand/core/model'
import type { Told } from './compare-tree.ts'

/** Where pyatspi and we may differ, and why we are right or cannot know better. */
export interface Exclusion {
  reason: string
  /** What of the element is not compared; of one whose place is not, its size still is. */
  ignores: 'all' | readonly ('bounds' | 'place' | 'name' | 'states')[]
  of(told: Told): boolean
  /** The same, seen from our tree. */
  ofOurs?(node: ElementNode, theirs: readonly Told[]): boolean
}

const isAt = (node: ElementNode, told: Told): boolean => node.platformIds?.['atspiPath']?.endsWith(told.path) === true

export const EXCLUSIONS: readonly Exclusion[] = [
  {
    reason:
      'the X server knows better where a window is, and the window manager what it is called; GTK 3 counts its shadow in and calls a message box Information',
    ignores: ['bounds', 'name'],
    of: (t) => t.above.length === 0,
  },
  {
    reason: 'GTK 4 counts places from its window; ours are on the screen',
    ignores: ['place'],
    of: (t) => t.toolkit === 'GTK',
  },
  {
    reason:
      'GTK 4 says of what is in something that is folded away, and so has no size, that it is visible, and so of rows that its lists keep for later',
    ignores: 'all',
    of: (t) => t.toolkit === 'GTK' && !t.isAroundShown,
  },
  {
    reason: 'LibreOffice counts the places of what it draws itself as if it had no menu bar; ours are where a click reaches them',
    ignores: ['place'],
    of: (t) => t.app === 'soffice',
  },
  {
    reason:
      'GTK 4 calls what has no name after its class, and every tab Tab, which says nothing to a reader; ours is called after what is written in it, or not at all',
    ignores: ['name'],
    of: (t) =>
      t.toolkit === 'GTK' && (/^(Gtk|Adw)[A-Z]\w*$/.test(t.name) || (t.role.startsWith('page tab') && /^Tab( list)?$/.test(t.name))),
  },
  {
    reason:
      'GTK 4 names a button with a shortcut in its label after that label as it is written and as it is read; ours is the one that is read',
    ignores: ['name'],
    of: (t) => t.toolkit === 'GTK' && /^(.*)_(.*) \1\2$/.test(t.name),
  },
  {
    reason: 'Chromium says of the chosen entry of a closed drop-down list that it shows; ours is the value of the combobox',
    ignores: 'all',
    of: (t) => t.toolkit === 'Chromium' && t.role === 'menu item' && t.above.at(-2) === 'combo box',
  },
  {
    reason:
      'Qt says of what is in a closed drop-down list or on a page that is not shown that it shows, though what is around it says that it does not',
    ignores: 'all',
    of: (t) => t.toolkit === 'Qt' && !t.isAroundShown,
  },
  {
    reason:
      'Qt says of the chosen tab and of the current row of each list that they have the focus, wherever that is; ours has it where the keys go, and a tab is chosen',
    ignores: ['states'],
    of: (t) =>
      t.toolkit === 'Qt' &&
      (t.role === 'page tab' || (t.states.includes('focused') && /^(?:list item|tree item|table cell)$/.test(t.role))),
  },
  {
    reason: 'the context menus of Qt have no parent, so that no walk from the top finds them; ours are told by their events',
    ignores: 'all',
    of: () => false,
    ofOurs: (node, theirs) => node.role.startsWith('menu') && theirs.some((t) => t.toolkit === 'Qt') && !theirs.some((t) => isAt(node, t)),
  },
  {
    reason: 'what is in no tree is told all the same, by the X server and by its pixels, and marked so; pyatspi knows only trees',
    ignores: 'all',
    of: () => false,
    ofOurs: ({ attributes }) => attributes?.['unread'] !== undefined || attributes?.['source'] === 'ocr',
  },
  {
    reason: 'pyatspi is never let into a sheet of LibreOffice, which would make its 17 billion cells; ours are the visible ones',
    ignores: 'all',
    of: () => false,
    ofOurs: (node, theirs) => node.role === 'cell' && node.attributes?.['row'] !== undefined && theirs.some((t) => t.app === 'soffice'),
  },
]

import type { ElementNode, Rect } from '@deskhand/core/model'
import { expect } from 'vitest'
import { compareTrees, readTree, type Comparison } from './compare-tree.ts'

/** A desktop that can be looked at by us and by others. */
interface Looked {
  /** Our whole tree. */
  tree(): Promise<ElementNode>
  /** Runs a program on the desktop, and gives what it printed. */
  run(command: string, ...args: string[]): string | Promise<string>
  screen: Rect
}

/** Another look when the screen moved between ours and theirs. */
const LOOKS = 8

/** What we show must be what pyatspi finds. Ours is taken first each time. */
export async function mustAgree({ tree, run, screen }: Looked, when = ''): Promise<void> {
  let found: Comparison | undefined
  for (let look = 0; look < LOOKS; look++) {
    const ours = await tree()
    found = compareTrees(ours, await readTree(run), screen)
    if (found.missing.length + found.ghosts.length === 0) return
  }
  expect(found, when).toMatchObject({ missing: [], ghosts: [] })
}

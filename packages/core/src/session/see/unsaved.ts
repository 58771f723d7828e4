import { WINDOWS, type UiNode } from '../../model/index.ts'
import { roleOf } from '../../selector/index.ts'

/** What an answer says once a title has lost its mark. */
export const NOT_MARKED = 'its mark of unsaved changes is gone'

/** Whether what changed tells of a save: a title without its mark, or the application's own words. */
export const tellsSaved = (text: string): boolean => text.includes(NOT_MARKED) || /\bsaved\b/i.test(text)

/** How applications mark a document in a title or on a tab that has changes which are not saved. */
const MARK = /^\s*[*●•]|[*●•]\s*$|[*●•](?=\s+[-–—])|\[(?:modified|\*|\+)\]|\((?:modified|unsaved)\)/i
const TITLED: ReadonlySet<string> = new Set([...WINDOWS, 'tab'])

/** Whether a title says that something is not saved. */
export const isMarked = (title: string | undefined): boolean => title !== undefined && MARK.test(title)

/** Whether a window or tab was marked, by the line that was told of it, and is not any more. */
export function hasLostMark(node: UiNode, told: string): boolean {
  const [, title] = /^\S+ ("(?:[^"\\]|\\.)*")/.exec(told) ?? []
  return title !== undefined && TITLED.has(roleOf(node)) && isMarked(title.slice(1, -1)) && !isMarked(node.name)
}

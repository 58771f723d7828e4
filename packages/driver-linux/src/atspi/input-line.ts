import type { App } from './app.ts'
import { EDITABLE_TEXT, TEXT, offers } from './names.ts'
import { type MirrorNode, topOf } from './node.ts'
import { roleOf } from './roles.ts'
import { hasState } from './states.ts'

/**
 * What a cell of a spreadsheet shows. LibreOffice goes on telling the last text of the cell that the cursor is on once that is empty; the
 * line above the sheet in which the cell is edited is empty then.
 */
export async function shownText(app: App, cell: MirrorNode, told: string): Promise<string> {
  if (told === '' || !isCurrent(cell)) return told
  const line = inputLineOf(cell)
  if (line === undefined) return told
  const [text] = await app.call(line.path, TEXT, 'GetText', 'ii', [0, -1], 's')
  return text === '' ? '' : told
}

/** Whether the cursor is on a cell, with or without the keyboard. */
const isCurrent = (cell: MirrorNode): boolean => hasState(cell, 'focused') || cell.parent?.current === cell

/** The only paragraph in a toolbar. */
export function inputLineOf(node: MirrorNode): MirrorNode | undefined {
  const window = topOf(node)
  for (const one of node.app.nodes.values())
    if (roleOf(one.role) === 'paragraph' && offers(one.interfaces, EDITABLE_TEXT) && isInToolbar(one) && topOf(one) === window) return one
  return undefined
}

function isInToolbar(node: MirrorNode): boolean {
  for (let n: MirrorNode | undefined = node; n !== undefined; n = n.parent) if (roleOf(n.role) === 'toolbar') return true
  return false
}

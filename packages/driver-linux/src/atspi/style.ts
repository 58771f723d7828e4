import type { App } from './app.ts'
import { ACCESSIBLE, TEXT, offers } from './names.ts'
import type { MirrorNode } from './node.ts'
import { roleOf } from './roles.ts'

/** How a text looks, where its application says so. */
export interface Style {
  /** All of it is. */
  bold?: true
  /** Of a heading: 1 is the highest. */
  level?: number
}

/** Lighter letters than these are not called bold. */
const BOLD = 600

/** Asks how the text of a node looks, once for each text. */
export async function loadStyle(app: App, node: MirrorNode): Promise<void> {
  const text = node.text ?? node.name
  if (!isStyled(node) || text === '' || (node.styledText === text && !isInSheet(node))) return
  node.styledText = text
  const [isBold, level] = await Promise.all([isAllBold(app, node, text), roleOf(node.role) === 'heading' ? levelOf(app, node) : undefined])
  node.style = isBold || level !== undefined ? { ...(isBold && { bold: true }), ...(level !== undefined && { level }) } : undefined
}

/** LibreOffice tells nothing when a cell becomes bold but that its text changed. */
const isInSheet = ({ app, cell }: MirrorNode): boolean => app.toolkit.isDisplaced && cell !== undefined

/** What a page writes is in labels, and what LibreOffice writes in paragraphs and cells. */
function isStyled(node: MirrorNode): boolean {
  if (!offers(node.interfaces, TEXT)) return false
  const role = roleOf(node.role)
  return role === 'label' || role === 'heading' || role === 'paragraph' || isInSheet(node)
}

async function isAllBold(app: App, { path }: MirrorNode, text: string): Promise<boolean> {
  const [look, from, to] = await app.call(path, TEXT, 'GetAttributeRun', 'ib', [0, true], 'a{ss}ii')
  return Number(look.get('weight')) >= BOLD && from <= 0 && to >= [...text.trimEnd()].length
}

async function levelOf(app: App, { path }: MirrorNode): Promise<number | undefined> {
  const [attributes] = await app.call(path, ACCESSIBLE, 'GetAttributes', '', [], 'a{ss}')
  const level = Number(attributes.get('level') ?? attributes.get('heading-level'))
  return Number.isInteger(level) && level > 0 ? level : undefined
}

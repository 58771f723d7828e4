import { PRESSED, walk, type TargetFacts, type TextSource, type UiNode } from '../../model/index.ts'
import { isWeb } from '../../policy/index.ts'
import { labelOf } from '../../selector/index.ts'
import { windowOf } from './live-tree.ts'
import { unreadKind } from './unread.ts'

/** What policy, people and the journal see of a node. */
export function factsOf(node: UiNode, found: Pick<TargetFacts, 'source' | 'confidence' | 'why'> & Partial<TargetFacts>): TargetFacts {
  const window = windowOf(node)
  const path: string[] = []
  for (let n: UiNode | undefined = node; n !== undefined; n = n.parent) if (n.name) path.unshift(n.name)
  return {
    key: node.key,
    role: node.role,
    name: node.name,
    says: saysOf(node),
    bounds: node.bounds,
    states: node.states,
    app: node.app,
    window: window && {
      key: window.key,
      title: window.name,
      role: window.role,
      bounds: window.bounds,
      says: dialogTexts(window),
      url: pageOf(window),
    },
    ...pagesOf(node),
    ...(unreadKind(node) !== undefined && { unread: true }),
    path,
    ...found,
  }
}

/**
 * What a person reads on it beside its name. A press on the picture in a button presses the button; a control without a name is known by what
 * stands on it, and one with a name may show another text than that, or stand behind a label that says something else.
 */
export function saysOf(node: UiNode): string[] | undefined {
  const around = PRESSED.has(node.role) ? undefined : controlAround(node)
  const outer = around === undefined ? [] : [around.name ?? '', ...writtenOn(around)]
  const label = labelOf(node, (n) => n.states?.visible !== false)?.name ?? ''
  const says = [...outer, ...writtenOn(node), label].filter((text) => text !== '' && text !== node.name)
  return says.length > 0 ? [...new Set(says)].slice(0, MOST_TEXTS) : undefined
}

/** Every text that a person reads on a node, with where that is. */
export function textsOf(node: UiNode, told: (text: string, source: TextSource) => void): void {
  const source = { app: node.app, window: windowOf(node)?.name, url: urlOf(node) }
  for (const text of [node.name, node.value, node.description, ...(saysOf(node) ?? [])]) if (text) told(text, source)
}

const MOST_TEXTS = 8
const LEVELS = 3

function controlAround(node: UiNode): UiNode | undefined {
  let at = node.parent
  for (let level = 0; at !== undefined && level < LEVELS; level++, at = at.parent) if (PRESSED.has(at.role)) return at
  return undefined
}

/** What stands on a control, and for a name where there is none; of anything larger than a control, what lies in it is not its name. */
function writtenOn(node: UiNode): string[] {
  const isControl = PRESSED.has(node.role)
  if (node.name) return isControl ? [...textsBelow(node, LEVELS, (child) => !PRESSED.has(child.role) && child.role !== 'menu')] : []
  const hint = node.description ?? ''
  return isControl ? [...textsBelow(node, LEVELS), node.value ?? '', hint] : [hint]
}

function* textsBelow(node: UiNode, levels: number, counts: (child: UiNode) => boolean = () => true): Generator<string> {
  for (const child of node.children) {
    if (!counts(child)) continue
    if (child.name) yield child.name
    if (levels > 1) yield* textsBelow(child, levels - 1, counts)
  }
}

/** What a dialog asks stands in its labels as often as in its title. */
function dialogTexts(window: UiNode): string[] | undefined {
  if (window.role !== 'dialog' && window.role !== 'alert') return undefined
  const says: string[] = []
  let looked = 0
  for (const node of walk(window.children)) {
    if (++looked > MOST_LOOKED || says.length === MOST_TEXTS) break
    if (SAID.has(node.role) && node.name && node.states?.visible !== false) says.push(node.name.slice(0, LONGEST_SAID))
  }
  return says.length > 0 ? says : undefined
}

const SAID: ReadonlySet<string> = new Set(['label', 'heading', 'paragraph', 'text', 'alert'])
const LONGEST_SAID = 300

/** The address of the page that a window shows. */
export function pageOf(window: UiNode): string | undefined {
  if (!isWeb(window.app)) return undefined
  let looked = 0
  for (const node of walk([window])) {
    if (++looked > MOST_LOOKED) return undefined
    const url = node.role === 'document' ? node.attributes?.['url'] : undefined
    if (typeof url === 'string' && node.states?.visible !== false) return url
  }
  return undefined
}

/** The page comes before or after the browser's own bars, which are few. */
const MOST_LOOKED = 2_000

/** The address of the document a node lies in; empty where it is a page whose address the toolkit does not tell. */
export const urlOf = (node: UiNode): string | undefined => pagesOf(node).url

/** The same, and the addresses of the pages around it where it is a frame. */
function pagesOf(node: UiNode): Pick<TargetFacts, 'url' | 'pages'> {
  let isPage = false
  let own: string | undefined
  let pages: string[] | undefined
  for (let n: UiNode | undefined = node; n !== undefined; n = n.parent) {
    const url = n.attributes?.['url'] ?? n.attributes?.['DocURL']
    if (typeof url === 'string') {
      if (own === undefined) own = url
      else if ((pages ??= []).length < MOST_PAGES) pages.push(url)
    }
    isPage ||= n.role === 'document'
  }
  own ??= isPage && isWeb(node.app) ? '' : undefined
  return pages === undefined ? { url: own } : { url: own, pages }
}

const MOST_PAGES = 16

import { WINDOWS, type UiNode } from '../../model/index.ts'
import { windowOf } from '../see/live-tree.ts'
import { urlOf } from '../see/target-facts.ts'
import { label } from '../words.ts'

/** One thing that a person relies on when they agree: what it is, and what it says. */
export interface Fact {
  label: string
  value: string
  /** Only such text can be left out when it changes by itself; what can be filled in never is. */
  isText: boolean
}

/** What stands around a target, by the key of its element or by what it is. */
export type Surroundings = ReadonlyMap<string, Fact>

/**
 * The title and the address of its window, where it leads, and every value and text of the form, dialog or window that it belongs to, the nearest
 * first; of several targets, as of the two ends of a drag, of each.
 */
export function surroundingsOf(targets: readonly UiNode[]): Surroundings {
  const found = new Map<string, Fact>()
  const scopes = new Set<UiNode>()
  let texts = 0
  for (const target of targets) {
    const scope = scopeOf(target)
    if (scopes.has(scope)) continue
    const nth = scopes.size === 0 ? '' : ` ${scopes.size}`
    scopes.add(scope)
    const add = (key: string, name: string, value: string | undefined): void => {
      if (value !== undefined) found.set(`${key}${nth}`, { label: name, value, isText: false })
    }
    add(TITLE, 'window title', windowOf(target)?.name)
    add('url', 'address', urlOf(target))
    add('destination', 'leads to', destinationOf(target))
    for (const node of outward(target, scope)) {
      const fact = factOf(node)
      if (fact === undefined || (fact.isText && ++texts > MOST_TEXTS)) continue
      found.set(node.key, fact)
      if (found.size >= MOST) break
    }
  }
  return found
}

const TITLE = 'title'

/** Whether this is the title of a window that a target lies in. */
export const isTitle = (key: string): boolean => key === TITLE || key.startsWith(`${TITLE} `)

/** What differs, in words; `leftOut` are keys that do not count. */
export function differences(before: Surroundings, now: Surroundings, leftOut: ReadonlySet<string>): string[] {
  const found: string[] = []
  for (const [key, was] of before) {
    if (leftOut.has(key)) continue
    const is = now.get(key)
    if (is === undefined) found.push(`${was.label} is gone; it was ${JSON.stringify(was.value)}`)
    else if (is.value !== was.value) found.push(`${was.label} was ${JSON.stringify(was.value)} and is ${JSON.stringify(is.value)} now`)
    else if (is.label !== was.label) found.push(`${was.label} is ${is.label} now`)
  }
  for (const [key, is] of now) if (!before.has(key) && !leftOut.has(key)) found.push(`${is.label} is new: ${JSON.stringify(is.value)}`)
  return found
}

/** Texts must not crowd a field out. */
const MOST_TEXTS = 1_000
const MOST = 4_000
/** Moves by itself, or is only a frame around others. */
const MOVING: ReadonlySet<string> = new Set(['progressbar', 'scrollbar', 'separator', 'tooltip', 'statusbar', 'titlebar'])
const TEXTS: ReadonlySet<string> = new Set(['label', 'paragraph', 'heading', 'cell', 'listitem', 'link', 'option', 'treeitem', 'alert'])
const SCOPES: ReadonlySet<string> = new Set([...WINDOWS, 'form', 'document'])

function scopeOf(target: UiNode): UiNode {
  let at = target
  while (at.parent !== undefined && (at === target || !SCOPES.has(at.role))) at = at.parent
  return at
}

/** All of the scope, without what is not shown: what is far away must not crowd out what stands beside the target. */
function* outward(target: UiNode, scope: UiNode): Generator<UiNode> {
  yield* inside(target)
  for (let inner = target; inner !== scope && inner.parent !== undefined; inner = inner.parent) {
    const around = inner.parent
    if (around.states?.visible === false || MOVING.has(around.role)) return
    yield around
    const at = around.children.indexOf(inner)
    for (let far = 1; far < around.children.length; far++)
      for (const beside of [around.children[at - far], around.children[at + far]]) if (beside !== undefined) yield* inside(beside)
  }
}

/** Parents first, without what is not shown. */
function* inside(node: UiNode): Generator<UiNode> {
  if (node.states?.visible === false || MOVING.has(node.role)) return
  yield node
  for (const child of node.children) yield* inside(child)
}

/** What an element says, where it says something. */
export function factOf({ role, name, value, states }: Pick<UiNode, 'role' | 'name' | 'value' | 'states'>): Fact | undefined {
  if (states?.password === true) return undefined
  const marks = [states?.checked, states?.selected, states?.pressed].filter((mark) => mark !== undefined)
  const isText = TEXTS.has(role) && states?.editable !== true
  if (value === undefined && marks.length === 0) return isText && name ? { label: role, value: name, isText } : undefined
  return {
    label: label({ role, name }),
    value: [value ?? (isText ? name : undefined), ...marks].filter((v) => v !== undefined).join(', '),
    isText,
  }
}

/** Where a link or a form leads, as far as the toolkit tells. */
export function destinationOf(target: Pick<UiNode, 'attributes' | 'role' | 'parent'>): string | undefined {
  for (let n: typeof target | undefined = target; n !== undefined; n = n.parent) {
    for (const name of ['href', 'formaction', 'action', 'destination']) {
      const value = n.attributes?.[name]
      if (typeof value === 'string') return value
    }
    if (SCOPES.has(n.role)) return undefined
  }
  return undefined
}

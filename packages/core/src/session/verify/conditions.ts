import { walk, WINDOWS, type Condition, type Judgement, type Target, type Truth, type UiNode, type UiTree } from '../../model/index.ts'
import { clip } from '../../selector/index.ts'
import { folded } from '../see/folded.ts'
import { windowOf } from '../see/live-tree.ts'
import { hasAllElements } from '../see/unread.ts'

/** What a condition is judged against. */
export interface Scene {
  tree: UiTree
  /** The nodes that each target of the condition names now; an element id that is dead names none. */
  found: ReadonlyMap<Target, readonly UiNode[]>
  /** What was read in the pixels of windows that tell nothing of themselves. */
  read?: readonly string[]
  /** The action's own target, when there is one. */
  own?: UiNode
  before?: Before
}

/** What was there before the action. */
export interface Before {
  /** By key: the action's own target, and what its condition names. */
  faces: ReadonlyMap<string, string>
  windows: ReadonlySet<string>
}

/** Everything about a node that can be seen to change. */
export const faceOf = (n: UiNode): string => JSON.stringify([n.role, n.name, n.value, n.bounds, n.states])

export const windowKeys = (tree: UiTree): Set<string> => new Set(windowsOf(tree).map((w) => w.key))

/** Whether a condition holds; `unknown` where the tree has holes and only a whole one could tell. */
export function evaluate(condition: Condition, scene: Scene): Judgement {
  const parts: Judgement[] = []
  if (condition.uiState !== undefined) parts.push(evaluateState(condition.uiState, scene))
  if (condition.window !== undefined) parts.push(evaluateWindow(condition.window, scene))
  if (condition.text !== undefined) parts.push(evaluateText(condition.text, scene))
  if (condition.any !== undefined) parts.push(either(condition.any.map((c) => evaluate(c, scene))))
  if (condition.not !== undefined) parts.push(opposite(evaluate(condition.not, scene)))
  return both(parts)
}

/** Every element that a condition speaks of. */
export function* targetsOf(condition: Condition): Generator<Target> {
  if (condition.uiState?.target !== undefined) yield condition.uiState.target
  for (const part of [...(condition.any ?? []), ...(condition.not === undefined ? [] : [condition.not])]) yield* targetsOf(part)
}

/** That a condition speaks of one element where there are several; that none is left may be said of any number. */
export function ambiguity({ uiState, any = [], not }: Condition, named: ReadonlyMap<Target, readonly UiNode[]>): string | undefined {
  for (const part of [...any, ...(not === undefined ? [] : [not])]) {
    const inner = ambiguity(part, named)
    if (inner !== undefined) return inner
  }
  if (uiState?.target === undefined || uiState.present === false) return undefined
  const found = named.get(uiState.target) ?? []
  return candidates(found).length > 1 ? `${words(uiState.target)} names ${found.length} elements` : undefined
}

const words = (target: Target): string => ('selector' in target ? target.selector : target.elementId)

/** Hidden twins do not make a visible element ambiguous, as for actions. */
function candidates(found: readonly UiNode[]): readonly UiNode[] {
  const visible = found.filter((n) => n.states?.visible !== false)
  return visible.length > 0 ? visible : found
}

type UiState = NonNullable<Condition['uiState']>
const FLAGS = ['enabled', 'visible', 'focused', 'checked', 'selected', 'expanded'] as const

function evaluateState(want: UiState, scene: Scene): Judgement {
  const found = want.target === undefined ? (scene.own === undefined ? [] : [scene.own]) : (scene.found.get(want.target) ?? [])
  const what = want.target === undefined ? 'the target' : words(want.target)
  if (want.present === false) return absent(found.length === 0, `${what} is ${found.length === 0 ? 'not there' : 'still there'}`, scene)
  const [node, ...others] = candidates(found)
  if (node === undefined) return { holds: unseen(scene), details: `${what} is not there` }
  if (others.length > 0) return { holds: false, details: `${what} names ${found.length} elements` }
  const wrong: string[] = []
  for (const flag of FLAGS) {
    const is = node.states?.[flag] ?? (flag === 'enabled' || flag === 'visible')
    if (want[flag] !== undefined && is !== want[flag]) wrong.push(`${flag} is ${String(is)}`)
  }
  if (want.name !== undefined && node.name !== want.name) wrong.push(`name is ${quote(node.name)}`)
  if (want.value !== undefined && node.value !== want.value) wrong.push(`value is ${quote(node.value)}`)
  if (want.valueContains !== undefined && !(node.value ?? '').includes(want.valueContains)) wrong.push(`value is ${quote(node.value)}`)
  if (want.changed && scene.before === undefined) wrong.push('nothing was done that could have changed it')
  if (want.changed && scene.before?.faces.get(node.key) === faceOf(node)) wrong.push('it did not change')
  return { holds: wrong.length === 0, details: `${what}: ${wrong.length === 0 ? 'as expected' : wrong.join(', ')}` }
}

function evaluateWindow(want: NonNullable<Condition['window']>, scene: Scene): Judgement {
  const fits = windowsOf(scene.tree).filter(
    (w) =>
      (want.title === undefined || w.name === want.title) &&
      (want.titleContains === undefined || (w.name ?? '').includes(want.titleContains)) &&
      (want.dialog !== true || w.role !== 'window') &&
      (want.appeared !== true || scene.before?.windows.has(w.key) === false),
  )
  const what = `${want.dialog ? 'dialog' : 'window'} ${quote(want.title ?? want.titleContains ?? 'any')}`
  if (want.present === false) return absent(fits.length === 0, `${what} is ${fits.length === 0 ? 'gone' : 'still there'}`, scene)
  return {
    holds: fits.length > 0 || unseen(scene),
    details: fits.length > 0 ? `${what} is there` : `no ${what}${want.appeared ? ' appeared' : ''}`,
  }
}

function evaluateText(want: NonNullable<Condition['text']>, scene: Scene): Judgement {
  const { contains, present = true } = typeof want === 'string' ? { contains: want } : want
  const there = shows(scene.tree, contains) || reads(scene.read ?? [], contains)
  if (!present) return absent(!there, `${quote(contains)} is ${there ? 'still' : 'not'} visible`, scene, !scene.tree.completeness.complete)
  const { complete } = scene.tree.completeness
  return { holds: there || (complete ? false : 'unknown'), details: `${quote(contains)} is ${there ? '' : 'not '}visible` }
}

/** Text in pixels compares without case and spaces, which recognition gets wrong most often. */
function reads(texts: readonly string[], text: string): boolean {
  const wanted = folded(text)
  return texts.some((t) => folded(t).includes(wanted))
}

function shows(tree: UiTree, text: string): boolean {
  for (const n of walk(tree.roots)) {
    if (n.states?.visible === false) continue
    if (n.name?.includes(text) || n.value?.includes(text)) return true
  }
  return false
}

function windowsOf(tree: UiTree): UiNode[] {
  const found: UiNode[] = []
  // Windows stand at the top or right below their application; anything deeper is inside one.
  for (const root of tree.roots) {
    for (const n of WINDOWS.has(root.role) ? [root, ...root.children] : root.children) {
      if (WINDOWS.has(n.role) && windowOf(n) === n && n.states?.visible !== false) found.push(n)
    }
  }
  return found
}

/** Not there, as far as a tree can tell that may have holes. */
const unseen = (scene: Scene): Truth => (hasAllElements(scene.tree.completeness) ? false : 'unknown')

/** A tree that has holes cannot show that something is absent. */
function absent(is: boolean, details: string, scene: Scene, holes = hasHoles(scene.tree)): Judgement {
  if (is && holes) return { holds: 'unknown', details: `${details}, but the tree is incomplete` }
  return { holds: is, details }
}

/** A hung application shows what it showed when it was read, and windows and areas that never get a tree hold no elements: none is a hole. */
function hasHoles({ completeness: { complete, reasons }, roots }: UiTree): boolean {
  if (complete || reasons.length === 0) return !complete
  return !reasons.every(({ app, kind }) => {
    if (kind === 'drawn') return true
    const windows = roots.filter((w) => w.app.id === app)
    if (windows.length === 0) return false
    return windows.every((w) => (kind === 'hung' ? w.children.length > 0 : w.attributes?.['treeless'] === true))
  })
}

function both(parts: Judgement[]): Judgement {
  const holds: Truth = parts.some((p) => p.holds === false) ? false : parts.some((p) => p.holds === 'unknown') ? 'unknown' : true
  return { holds, details: parts.map((p) => p.details).join('; ') }
}

function either(parts: Judgement[]): Judgement {
  const holds: Truth = parts.some((p) => p.holds === true) ? true : parts.some((p) => p.holds === 'unknown') ? 'unknown' : false
  return { holds, details: parts.map((p) => p.details).join(' | ') }
}

const opposite = (j: Judgement): Judgement => ({ holds: j.holds === 'unknown' ? 'unknown' : !j.holds, details: `not (${j.details})` })
const quote = (s: string | undefined): string => (s === undefined ? 'absent' : clip(s, 80))

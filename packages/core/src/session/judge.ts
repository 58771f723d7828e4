import { walk, WINDOWS, type Condition, type Judgement, type Target, type Truth, type UiNode, type UiTree } from '../model/index.ts'
import { clip } from '../selector/index.ts'
import { windowOf } from './tree.ts'

/** What a condition is judged against. */
export interface Scene {
  tree: UiTree
  /** Every node a target names now; an element id that is dead names none. */
  find(target: Target): UiNode[]
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

export function judge(condition: Condition, scene: Scene): Judgement {
  const parts: Judgement[] = []
  if (condition.uiState !== undefined) parts.push(judgeState(condition.uiState, scene))
  if (condition.window !== undefined) parts.push(judgeWindow(condition.window, scene))
  if (condition.text !== undefined) parts.push(judgeText(condition.text, scene))
  if (condition.any !== undefined) parts.push(either(condition.any.map((c) => judge(c, scene))))
  if (condition.not !== undefined) parts.push(opposite(judge(condition.not, scene)))
  return both(parts)
}

type UiState = NonNullable<Condition['uiState']>
const FLAGS = ['enabled', 'visible', 'focused', 'checked', 'selected', 'expanded'] as const

function judgeState(want: UiState, scene: Scene): Judgement {
  const found = want.target === undefined ? (scene.own === undefined ? [] : [scene.own]) : scene.find(want.target)
  const what = want.target === undefined ? 'the target' : 'selector' in want.target ? want.target.selector : want.target.elementId
  if (want.present === false) return absent(found.length === 0, `${what} is ${found.length === 0 ? 'not there' : 'still there'}`, scene)
  const [node] = found
  if (node === undefined) return { holds: scene.tree.completeness.complete ? false : 'unknown', details: `${what} is not there` }
  if (found.length > 1) return { holds: false, details: `${what} names ${found.length} elements` }
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

function judgeWindow(want: NonNullable<Condition['window']>, scene: Scene): Judgement {
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

function judgeText(want: NonNullable<Condition['text']>, scene: Scene): Judgement {
  const { contains, present = true } = typeof want === 'string' ? { contains: want } : want
  const there = shows(scene.tree, contains)
  if (!present) return absent(!there, `${quote(contains)} is ${there ? 'still' : 'not'} visible`, scene)
  return { holds: there || unseen(scene), details: `${quote(contains)} is ${there ? '' : 'not '}visible` }
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
const unseen = (scene: Scene): Truth => (scene.tree.completeness.complete ? false : 'unknown')

/** Every element that a condition speaks of. */
export function* targetsOf(condition: Condition): Generator<Target> {
  if (condition.uiState?.target !== undefined) yield condition.uiState.target
  for (const part of [...(condition.any ?? []), ...(condition.not === undefined ? [] : [condition.not])]) yield* targetsOf(part)
}

/** Nobody can see that something is absent from a tree that has holes. */
function absent(is: boolean, details: string, scene: Scene): Judgement {
  if (is && !scene.tree.completeness.complete) return { holds: 'unknown', details: `${details}, but the tree is incomplete` }
  return { holds: is, details }
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

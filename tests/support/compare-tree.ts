import type { ElementNode, Rect, States } from '@deskhand/core/model'
import { EXCLUSIONS, type Exclusion } from './compare-exclusions.ts'
import { fixture, PYTHON } from './python.ts'

/** An element as pyatspi describes it. */
export interface Told {
  pid: number
  toolkit: string
  app: string
  role: string
  name: string
  /** The name of what the application says is its label. */
  label?: string | null
  states: string[]
  bounds: [number, number, number, number] | null
  /** The roles around it, the window's first. */
  above: string[]
  path: string
  /** Whether all that it is in shows and has a size. */
  isAroundShown: boolean
}

export interface Comparison {
  /** What pyatspi finds and our tree does not hold, as it is there. */
  missing: string[]
  /** What our tree holds and pyatspi does not find. */
  ghosts: string[]
  /** How many agreed. */
  agreed: number
  /** How many were left out, by the reason. */
  excluded: Record<string, number>
}

/** pyatspi's words for what can be operated, in ours. */
// oxfmt-ignore
const ROLES: Record<string, string> = {
  'push button': 'button', button: 'button', 'push button menu': 'button', 'toggle button': 'togglebutton', 'check box': 'checkbox',
  'radio button': 'radio', text: 'textbox', entry: 'textbox', 'password text': 'textbox', editbar: 'textbox', 'date editor': 'textbox', 'combo box': 'combobox',
  'spin button': 'spinbutton', slider: 'slider', dial: 'slider', link: 'link', 'list item': 'listitem', 'menu item': 'menuitem',
  'tearoff menu item': 'menuitem', 'check menu item': 'menuitemcheckbox', 'radio menu item': 'menuitemradio', menu: 'menu', 'popup menu': 'menu',
  'page tab': 'tab', 'table cell': 'cell', 'table row': 'row', 'tree item': 'treeitem', 'column header': 'columnheader',
  'table column header': 'columnheader', terminal: 'terminal', dialog: 'dialog', alert: 'alert', 'file chooser': 'dialog',
  'info bar': 'alert', notification: 'alert',
}

/** What pyatspi finds, given a way to run a program on the desktop. It may repair what it looks at, so our answer is to be taken before. */
export async function readTree(run: (command: string, ...args: string[]) => string | Promise<string>): Promise<Told[]> {
  return (await run(PYTHON, fixture('read_atspi.py')))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Told)
}

/** Compares what can be seen and operated, each element with its role, name, states and place, as multisets. */
export function compareTrees(ours: ElementNode, theirs: readonly Told[], screen: Rect): Comparison {
  const excluded: Comparison['excluded'] = {}
  const wanted: { told: Told; except: readonly Exclusion[] }[] = []
  for (const told of theirs) {
    if (ROLES[told.role] === undefined || !isOnScreen(told, screen)) continue
    const except = EXCLUSIONS.filter((e) => e.of(told))
    for (const { reason } of except) excluded[reason] = (excluded[reason] ?? 0) + 1
    if (!except.some((e) => e.ignores === 'all')) wanted.push({ told, except })
  }
  const roles = new Set(Object.values(ROLES))
  const free = new Map<string, ElementNode[]>()
  for (const node of visible(ours, screen)) if (roles.has(node.role)) free.set(node.role, [...(free.get(node.role) ?? []), node])

  const missing: string[] = []
  // The strictest comparisons first, so that a lenient one takes nothing away from them.
  const isLenient = ({ told, except }: (typeof wanted)[number]): boolean => except.length > 0 || told.name === ''
  wanted.sort((a, b) => Number(isLenient(a)) - Number(isLenient(b)))
  let agreed = 0
  for (const { told, except } of wanted) {
    const list = free.get(ROLES[told.role] ?? '') ?? []
    const at = list.findIndex((node) => agree(node, told, except))
    if (at < 0) missing.push(sayTheirs(told))
    else {
      list.splice(at, 1)
      agreed++
    }
  }
  const ghosts = [...free.values()].flat().filter((node) => !EXCLUSIONS.some((e) => e.ofOurs?.(node, theirs) === true))
  return { missing, ghosts: ghosts.map(sayOurs), agreed, excluded }
}

function agree(node: ElementNode, told: Told, except: readonly Exclusion[]): boolean {
  const ignores = new Set(except.flatMap((e) => (e.ignores === 'all' ? [] : e.ignores)))
  if (!ignores.has('bounds') && !isSamePlace(node.bounds, told.bounds, ignores.has('place'))) return false
  // What an application leaves unnamed may be called after its label, or after what stands beside it.
  if (!ignores.has('name') && told.name !== '' && (node.name ?? '') !== told.name.slice(0, 1000)) return false
  return ignores.has('states') || sayStates(oursStates(node.states ?? {})) === sayStates(theirStates(told))
}

const isSamePlace = (ours: Rect | undefined, theirs: Told['bounds'], isSizeEnough: boolean): boolean =>
  ours !== undefined && theirs !== null && [ours.x, ours.y, ours.w, ours.h].every((v, i) => v === theirs[i] || (isSizeEnough && i < 2))

/** What a person sees in both. Of dialogs inside a window we say that they are modal, which Chromium leaves out. */
const STATES = ['enabled', 'focused', 'checked', 'selected', 'expanded'] as const
type Seen = Partial<Record<(typeof STATES)[number], boolean | 'mixed'>>

function theirStates({ states, role }: Told): Seen {
  const has = (name: string): boolean => states.includes(name)
  const isPressed = role === 'toggle button' && has('pressed')
  return {
    enabled: has('enabled') || has('sensitive'),
    focused: has('focused'),
    checked: has('indeterminate') ? 'mixed' : has('checked') || isPressed,
    selected: has('selected'),
    expanded: has('expanded'),
  }
}

const oursStates = ({ enabled = true, focused, checked, selected, expanded }: States): Seen => ({
  enabled,
  focused,
  checked,
  selected,
  expanded,
})

const sayStates = (seen: Seen): string =>
  STATES.flatMap((name) => (seen[name] === true ? [name] : seen[name] === 'mixed' ? [`${name}=mixed`] : [])).join(' ')

function isOnScreen({ bounds, toolkit }: Told, screen: Rect): boolean {
  if (bounds === null || bounds[2] <= 0 || bounds[3] <= 0) return false
  if (toolkit === 'GTK') return true
  const [x, y, w, h] = bounds
  return x < screen.x + screen.w && y < screen.y + screen.h && x + w > screen.x && y + h > screen.y
}

function* visible(node: ElementNode, screen: Rect): Generator<ElementNode> {
  const { bounds: b } = node
  const isOn = b !== undefined && b.x < screen.x + screen.w && b.y < screen.y + screen.h && b.x + b.w > screen.x && b.y + b.h > screen.y
  if (node.states?.visible !== false && isOn) yield node
  for (const child of node.children ?? []) yield* visible(child, screen)
}

const sayTheirs = (t: Told): string =>
  `${ROLES[t.role]} ${JSON.stringify(t.name)} [${sayStates(theirStates(t))}] ${String(t.bounds)} (${t.toolkit}, ${t.above.join(' > ')}, ${t.path})`

const sayOurs = (n: ElementNode): string => {
  const b = n.bounds
  const where = b === undefined ? 'nowhere' : `${b.x},${b.y},${b.w},${b.h}`
  return `${n.role} ${JSON.stringify(n.name ?? '')} [${sayStates(oursStates(n.states ?? {}))}] ${where} (${n.id}, ${n.platformIds?.atspiPath})`
}

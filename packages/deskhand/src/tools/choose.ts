import { DeskhandError } from '@deskhand/core/errors'
import { ending, type ElementNode, type Result } from '@deskhand/core/model'
import { clip } from '@deskhand/core/selector/quote'
import { matchesOf, nameIs } from './found.ts'
import type { Perform } from './tool.ts'

/** How long a list may take to open. */
const OPENS_MS = 1_500
const CHOICES: ReadonlySet<string> = new Set(['option', 'menuitem', 'menuitemradio', 'listitem', 'treeitem', 'radio', 'tab', 'row', 'cell'])
const MOST_NAMED = 12

/** Chooses an entry by its name: in the control itself, else in the list that the control opens. */
export async function choose(act: Perform, control: ElementNode, name: string): Promise<Result> {
  const opens = control.role === 'combobox'
  if (!opens) {
    const entry = entriesOf(control).find((e) => isNamed(e, name))
    return entry === undefined ? missing(control, name, entriesOf(control)) : act('click', { target: entry.id })
  }
  const editable = control.states?.editable === true || entriesOf(control, EDITORS).some((e) => e.states?.editable === true)
  const known = entriesOf(control)
  if (known.length > 0 && !known.some((e) => isNamed(e, name)) && !editable) return missing(control, name, known)
  const opened = control.states?.expanded === true ? undefined : await act('click', { target: control.id })
  if (opened?.error !== undefined) return opened
  const isKnown = known.some((e) => isNamed(e, name))
  const timeoutMs = isKnown ? undefined : OPENS_MS
  const [shown] = matchesOf(await act('query', { selector: entriesNamed(name), limit: 2, timeoutMs }))
  if (shown !== undefined) return pick(act, control, shown.elementId, name)
  const inside = await act('describe', { element: control.id })
  const now = inside.error === undefined ? (inside.data as ElementNode) : control
  const entry = entriesOf(now).find((e) => isNamed(e, name))
  if (entry !== undefined) return pick(act, control, entry.id, name)
  await act('key', { keys: 'Escape' })
  if (editable) return act('type', { target: control.id, text: name, mode: 'replace', submit: 'Tab' })
  return missing(control, name, entriesOf(now))
}

/** Clicks an entry; one that no pointer reaches is gone to by keys, entry by entry. */
async function pick(act: Perform, { id }: ElementNode, entry: string, name: string): Promise<Result> {
  const clicked = await act('click', { target: entry, timeoutMs: 0 })
  if (clicked.error?.code !== 'NOT_ACTIONABLE') return closed(act, id, clicked)
  const look = await act('describe', { element: id })
  if (look.error !== undefined) return look
  const control = look.data as ElementNode
  const entries = entriesOf(control)
  const to = entries.findIndex((e) => isNamed(e, name))
  const from = entries.findIndex((e) => e.states?.selected === true || isNamed(e, control.value ?? ''))
  if (to < 0 || from < 0) return clicked
  const steps = Array<string>(Math.abs(to - from)).fill(to > from ? 'ArrowDown' : 'ArrowUp')
  const isOpen = control.states?.expanded ?? entries.some((e) => e.states?.visible !== false)
  const keys = isOpen ? [...steps, 'Enter'] : steps
  // They go to what has the focus: the list that is open, or the control itself.
  return keys.length === 0 ? look : act('key', { keys })
}

/** A list stays open where its entry was chosen without the pointer. */
async function closed(act: Perform, id: string, clicked: Result): Promise<Result> {
  if (clicked.error !== undefined || clicked.via === undefined || clicked.via === 'pointer') return clicked
  const { data, error } = await act('describe', { element: id })
  const isOpen = error === undefined && entriesOf(data as ElementNode).filter((e) => e.states?.visible !== false).length > 1
  if (isOpen) await act('key', { keys: 'Escape' })
  return clicked
}

const EDITORS: ReadonlySet<string> = new Set(['textbox', 'searchbox'])

/** The entries inside a control, those of its list or menu included. */
function entriesOf({ children = [] }: ElementNode, roles = CHOICES): ElementNode[] {
  return children.flatMap((child) => [...(roles.has(child.role) ? [child] : []), ...entriesOf(child, roles)])
}

const isNamed = ({ name, value }: ElementNode, text: string): boolean => [name, value].some((one) => one?.trim() === text.trim())

const entriesNamed = (name: string): string =>
  `(role=option || role=menuitem || role=menuitemradio || role=listitem || role=cell) && visible=true && ${nameIs(name)}`

function missing(control: ElementNode, name: string, entries: readonly ElementNode[]): Result {
  const names = entries.flatMap((e) => e.name ?? e.value ?? [])
  const known = names
    .slice(0, MOST_NAMED)
    .map((one) => clip(one, 40))
    .join(', ')
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ''
  const next = names.length === 0 ? undefined : `It has ${known}${more}.`
  const error = new DeskhandError(
    'NOT_FOUND',
    `${control.role} ${control.id} has no entry ${clip(name)}`,
    next === undefined ? {} : { next },
  )
  return ending({ status: 'error', op: '', sent: 'none', effect: 'refused', error: error.toJSON() })
}

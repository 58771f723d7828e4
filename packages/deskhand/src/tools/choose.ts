import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '@deskhand/core/errors'
import { ending, type ElementNode, type Result } from '@deskhand/core/model'
import { clip, quote } from '@deskhand/core/selector/quote'
import { matchesOf, nameIs } from './found.ts'
import type { Perform } from './tool.ts'

/** How long a list may take to open. */
const OPENS_MS = 1_500
const CHOICES: ReadonlySet<string> = new Set(['option', 'menuitem', 'menuitemradio', 'listitem', 'treeitem', 'radio', 'tab', 'row', 'cell'])
/** Lists of which only what is in view may be loaded. */
const LONG: ReadonlySet<string> = new Set(['table', 'tree', 'list', 'listbox'])
const MOST_NAMED = 12

/** Chooses an entry by its name: in the control itself, else in the list that the control opens. */
export async function choose(act: Perform, control: ElementNode, name: string): Promise<Result> {
  const opens = control.role === 'combobox' || isOpener(control)
  const editor = control.states?.editable === true ? control : fieldIn(control)
  if (!opens) {
    const entry = entriesOf(control).find((e) => isNamed(e, name))
    if (entry !== undefined) return act('click', { target: entry.id })
    const [unloaded] = LONG.has(control.role)
      ? matchesOf(await act('query', { selector: `${control.id} >> name=${quote(name)}`, limit: 1 }))
      : []
    if (unloaded !== undefined) return act('click', { target: unloaded.elementId })
    // LibreOffice tells of a combobox as a panel with a text field.
    return editor === undefined ? missing(control, name, entriesOf(control)) : enter(act, editor, name)
  }
  const known = entriesOf(control)
  const isKnown = known.some((e) => isNamed(e, name))
  // What takes text needs no list: an empty one would not open, and the Escape after it closes the dialog around it.
  if (editor !== undefined) return enter(act, editor, name)
  if (known.length > 0 && !isKnown) return missing(control, name, known)
  const opened = control.states?.expanded === true ? undefined : await act('click', { target: control.id })
  if (opened?.error !== undefined) return opened
  const timeoutMs = isKnown ? undefined : OPENS_MS
  const [shown] = matchesOf(await act('query', { selector: entriesNamed(name), limit: 2, timeoutMs }))
  if (shown !== undefined) return pick(act, control, shown.elementId, name)
  const inside = await act('describe', { element: control.id })
  const now = inside.error === undefined ? (inside.data as ElementNode) : control
  const entry = entriesOf(now).find((e) => isNamed(e, name))
  if (entry !== undefined) return pick(act, control, entry.id, name)
  await act('key', { keys: 'Escape' })
  return missing(control, name, entriesOf(now))
}

/** LibreOffice tells of a drop-down list as a toggle button that opens it; what is to be chosen is no true or false. */
export const isOpener = ({ role }: ElementNode): boolean => role === 'togglebutton'

/** Whether a field is the text of a choice that LibreOffice tells of as a panel with a button beside it. */
export async function isChoiceText(act: Perform, { id, role, name }: ElementNode): Promise<boolean> {
  if (role !== 'textbox' || name) return false
  return (
    matchesOf(await act('query', { selector: `role=panel && has(${id}) && has(role=togglebutton) && !has(role=document)`, limit: 1 }))
      .length > 0
  )
}

/** Types into a field and leaves it: some controls take a text only then. Enter does that in a toolbar, and gives the focus back; elsewhere it may press a button. */
export async function enter(act: Perform, { id }: Pick<ElementNode, 'id'>, text: string): Promise<Result> {
  const isTool = matchesOf(await act('query', { selector: `role=toolbar && has(${id})`, limit: 1 })).length > 0
  const typed = await act('type', { target: id, text, mode: 'replace', ...(isTool && { submit: 'Enter' }) })
  if (typed.error !== undefined || isTool) return typed
  const left = await act('key', { keys: 'Tab' })
  return left.error === undefined ? typed : left
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
  // Keys go on from the entry with the focus, which GTK 4 does not move along with what is selected.
  const focused = entries.findIndex((e) => e.states?.focused === true)
  const from = focused >= 0 ? focused : entries.findIndex((e) => e.states?.selected === true || isNamed(e, control.value ?? ''))
  if (to < 0 || from < 0) return clicked
  const isOpen = control.states?.expanded ?? entries.some((e) => e.states?.visible !== false)
  if (isOpen) return goTo(act, id, name, from, to)
  const keys = arrows(from, to)
  return keys.length === 0 ? look : act('key', { keys, target: id })
}

/** A list that is still opening loses keys, so Enter is sent once the entry has the focus, or where none is said to have it. */
async function goTo(act: Perform, id: string, name: string, from: number, to: number): Promise<Result> {
  let at = from
  for (let tries = 0; tries < TRIES && at >= 0 && at !== to; tries++) {
    // An open list has the focus itself.
    const moved = await act('key', { keys: arrows(at, to) })
    if (moved.error !== undefined) return moved
    at = await focusedIn(act, id)
  }
  if (at < 0 || at === to) return act('key', { keys: 'Enter' })
  await act('key', { keys: 'Escape' })
  const error = new DeskhandError('NOT_ACTIONABLE', `keys do not bring the open list to ${clip(name)}`, {
    next: 'Look at the list with ui.snapshot, and send keys yourself.',
  })
  return ending({ status: 'error', op: '', sent: 'all', effect: 'unverified', error: error.toJSON() })
}

const TRIES = 3
/** How long the focus has to stay where it is told, and how often that is looked at. */
const STAYS_MS = 80
const LOOKS = 10

/** Which entry has the focus once that is told no differently any more; an application that is behind tells one after the other. */
async function focusedIn(act: Perform, id: string): Promise<number> {
  const read = async (): Promise<number> => {
    const { data, error } = await act('describe', { element: id })
    return error === undefined ? entriesOf(data as ElementNode).findIndex((e) => e.states?.focused === true) : -1
  }
  let at = await read()
  for (let looks = 1; looks < LOOKS; looks++) {
    await sleep(STAYS_MS)
    if (at === (at = await read())) return at
  }
  return at
}

const arrows = (from: number, to: number): string[] => Array<string>(Math.abs(to - from)).fill(to > from ? 'ArrowDown' : 'ArrowUp')

/** A list stays open where its entry was chosen without the pointer. */
async function closed(act: Perform, id: string, clicked: Result): Promise<Result> {
  if (clicked.error !== undefined || clicked.via === undefined || clicked.via === 'pointer') return clicked
  const { data, error } = await act('describe', { element: id })
  const isOpen = error === undefined && entriesOf(data as ElementNode).filter((e) => e.states?.visible !== false).length > 1
  if (isOpen) await act('key', { keys: 'Escape' })
  return clicked
}

/** The text field in a control. */
export const fieldIn = (control: Pick<ElementNode, 'children'>): ElementNode | undefined =>
  entriesOf(control, EDITORS).find((e) => e.states?.editable === true && e.states.visible !== false)

const EDITORS: ReadonlySet<string> = new Set(['textbox', 'searchbox'])

/** The entries inside a control, those of its list or menu included. */
function entriesOf({ children = [] }: Pick<ElementNode, 'children'>, roles = CHOICES): ElementNode[] {
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

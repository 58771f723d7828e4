import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import { ending, Target, type ElementNode, type Result } from '@deskhand/core/model'
import { clip } from '@deskhand/core/selector/quote'
import { choose, enter, fieldIn, isChoiceText, isOpener } from './choose.ts'
import { dateParts, enterParts, enterDigits } from './dates.ts'
import { inside, matchesOf } from './found.ts'
import { isSeenCell, setSeenCell } from './seen-cell.ts'
import { composedTool, type ComposedTool, type Perform } from './tool.ts'

const Value = z.union([z.string(), z.number(), z.boolean()])
const Field = z.strictObject({ target: Target, value: Value })
export type Field = z.output<typeof Field>

const SetArgs = z
  .strictObject({
    target: Target.optional(),
    value: Value.optional(),
    fields: z.array(Field).min(1).max(50).optional().describe('several, in order: { target, value } each'),
  })
  .refine((a) => (a.fields === undefined) === (a.target !== undefined && a.value !== undefined), 'needs target and value, or fields')

/** How long a control may take to show what it became. */
const SHOWS_MS = 800
/** How long the editor of a cell may take to open. */
const EDITOR_MS = 1_500
/** Two clicks that are closer together are a double click, which opens what is in the row instead. */
const APART_MS = 550

/** Brings controls to values, each by the actions that a person would take. What it became is read back. */
export const setTool: ComposedTool = {
  ...composedTool(
    {
      name: 'ui.set',
      toolset: 'ui',
      description:
        'Bring any control to a value and read back what it became: text, number (slider, spin button), date (YYYY-MM-DD), true or false (checkbox, switch, radio), the name of an option, tab or entry (combobox, list, tabs; also out of view), a table cell.',
      input: SetArgs,
      readOnly: false,
    },
    async (act, { target, value, fields }) => {
      const all = fields ?? [{ target: target!, value: value! }]
      const lines: string[] = []
      let last: Result | undefined
      for (const field of all) {
        last = await setOne(act, field)
        lines.push(last.text ?? '')
        if (last.error !== undefined) break
      }
      if (last === undefined) throw new DeskhandError('BAD_ARGS', 'ui.set: nothing to set')
      const left = all.length - lines.length
      if (left > 0) lines.push(`${left} more not tried`)
      return { ...last, text: lines.filter(Boolean).join('\n') || undefined }
    },
  ),
  tells: 'record',
  parts: (args) => {
    const read = SetArgs.safeParse(args)
    return read.success && read.data.fields !== undefined ? read.data.fields.map((field) => ({ tool: 'ui.set', args: field })) : undefined
  },
}

/** The control before and after, and the action in between that counts. */
async function setOne(act: Perform, { target, value: given }: Field): Promise<Result> {
  const look = await act('describe', { element: target })
  if (look.error !== undefined) return look
  const control = look.data as ElementNode
  const value = meantFor(control, given)
  // A rehearsal knows nothing of what earlier steps will leave.
  if (control.id === undefined) return act('type', { target, text: String(value), mode: 'replace' })
  if (isSeenCell(control) && typeof value !== 'boolean' && control.name !== String(value)) return setSeenCell(act, control, String(value))
  const done = isAt(control, value) ? undefined : (refused(control, value) ?? (await bring(act, control, value)))
  if (done?.error !== undefined) return { ...done, text: `${named(control)}: not set` }
  return readBack(act, control, value, done ?? ending({ ...look, data: undefined, text: undefined }))
}

/** What is switched on and off takes words, as a shell has no others, and 1 and 0; a radio button is chosen by its own name. */
function meantFor({ role, name }: ElementNode, value: Field['value']): Field['value'] {
  if (role === 'button') return asFlag(value) ?? value
  if (!TOGGLES.has(role) || role === 'togglebutton') return value
  return /^[01]$/.test(String(value)) ? String(value) === '1' : role === 'radio' && name !== undefined && name === value ? true : value
}

/** A value that a control of this kind never holds; to try it would press or move it. */
function refused(control: ElementNode, value: Field['value']): Result | undefined {
  const { role } = control
  const isNumber = typeof value !== 'boolean' && String(value).trim() !== '' && Number.isFinite(Number(value))
  const takes =
    TOGGLES.has(role) && role !== 'togglebutton' && asFlag(value) === undefined
      ? 'true or false'
      : role === 'slider' && !isNumber
        ? 'a number'
        : undefined
  if (takes === undefined) return undefined
  const next = `Send it again with ${takes} as its value.`
  const error = new DeskhandError('BAD_ARGS', `${named(control)} takes ${takes}, not ${clip(String(value))}`, { next })
  return ending({ status: 'error', op: '', sent: 'none', effect: 'refused', error: error.toJSON() })
}

async function bring(act: Perform, control: ElementNode, value: Field['value']): Promise<Result> {
  const { id, role, states } = control
  if (isOpener(control) && asFlag(value) === undefined) return choose(act, control, String(value))
  if (states?.checked !== undefined || states?.pressed !== undefined || TOGGLES.has(role)) return act('click', { target: id })
  // A shell has no true or false but as words; in a cell such a word is a text.
  const isFlag = typeof value === 'boolean' || (role !== 'cell' && asFlag(value) !== undefined)
  if ((ENTRIES.has(role) || role === 'button') && isFlag) return act('click', { target: id })
  const entered = enterParts(act, control, String(value))
  if (entered !== undefined) return entered
  if (role === 'combobox' || HOLDERS.has(role)) return choose(act, control, String(value))
  if (role === 'cell') return intoCell(act, control, String(value))
  if (await isChoiceText(act, control)) return enter(act, control, String(value))
  const typed = await act('type', { target: id, text: String(value), mode: 'replace' })
  // What was typed into a number field counts once it is left.
  if (role !== 'spinbutton' || typed.error !== undefined || typed.via === 'Value') return typed
  const left = await act('key', { keys: 'Tab' })
  if (left.error !== undefined) return left
  const after = await look(act, control)
  return after === undefined || isAt(after, value) ? typed : ((await enterDigits(act, after, String(value))) ?? typed)
}

/** A cell of a sheet takes what is typed over it; one of a list opens its editor at the second click. */
async function intoCell(act: Perform, { id, name, states }: ElementNode, text: string): Promise<Result> {
  // Out of view it would be selected without the pointer, and the keys would go elsewhere.
  if (states?.visible === false) await act('hover', { target: id })
  const others = matchesOf(await act('query', { selector: EDITOR })).map((f) => f.elementId)
  const editorWithin = async (timeoutMs?: number): Promise<string | undefined> =>
    matchesOf(await act('query', { selector: EDITOR, timeoutMs })).find((f) => !others.includes(f.elementId))?.elementId
  const typeInto = (editor: string): Promise<Result> => act('type', { target: editor, text, mode: 'replace', submit: 'Enter' })
  for (let clicks = 0; clicks < 2; clicks++) {
    if (clicks > 0) await sleep(APART_MS)
    const clicked = await act('click', { target: id })
    if (clicked.error !== undefined) return clicked
    if (SHEET.test(name ?? '')) break
    const editor = await editorWithin(clicks === 0 ? undefined : EDITOR_MS)
    if (editor !== undefined) return typeInto(editor)
  }
  const typed = await act('type', { text, submit: 'Enter' })
  // The application says that something else has the focus: an editor that was not told of yet.
  const late = typed.error?.code === 'GUARD_BROKEN' && typed.sent === 'none' ? await editorWithin(EDITOR_MS) : undefined
  return late === undefined ? typed : typeInto(late)
}

const EDITOR = 'role=textbox && focused=true && visible=true'

/** What cells of sheets are called. */
const SHEET = /^[A-Z]{1,3}\d{1,7}$/

/** What the control became, in a line; something else than was asked for is a failure. */
async function readBack(act: Perform, before: ElementNode, value: Field['value'], done: Result): Promise<Result> {
  let after = await look(act, before)
  if (after !== undefined && !isAt(after, value)) {
    await act('wait', { until: { uiState: { target: before.id, ...wanted(before, value) } }, timeoutMs: SHOWS_MS })
    after = await look(act, before)
  }
  if (after === undefined) return { ...done, text: `${named(before)}: it is gone, so what it became is not known` }
  const isDate = dateParts(after, String(value)) !== undefined && isAt(after, value)
  const text = `${named(after)}: ${isDate ? clip(String(value)) : shown(after)}`
  if (isAt(after, value)) return { ...done, effect: done.sent === 'none' ? 'none' : 'confirmed', text }
  if (!tells(after, value)) return { ...done, text: `${named(after)}: done; it does not tell what it holds` }
  if (after.states?.password === true) return { ...done, text: `${named(after)}: entered` }
  // A sheet shows what a formula comes to.
  if (after.role === 'cell' && String(value).startsWith('=') && after.value !== before.value) return { ...done, effect: 'changed', text }
  if (after.role === 'button' && value === true) return pressedOnce(after, done)
  const failure = new DeskhandError('VERIFY_FAILED', `${named(after)} was set to ${clip(String(value))}, but it holds ${shown(after)}`, {
    next: 'Decide by what it holds now whether that is right.',
  })
  return ending({ ...done, status: 'error', effect: 'changed', error: failure.toJSON(), text })
}

/** GTK 4 tells of a toggle button that is not pressed as of any button. */
function pressedOnce(button: ElementNode, done: Result): Result {
  const next = 'Do not set it again: it was pressed, as ui.click does it.'
  const failure = new DeskhandError('VERIFY_FAILED', `${named(button)} was pressed once and does not stay pressed: it holds no value`, {
    next,
  })
  return ending({ ...done, status: 'error', effect: 'changed', error: failure.toJSON(), text: undefined })
}

async function look(act: Perform, { id }: ElementNode): Promise<ElementNode | undefined> {
  const { data, error } = await act('describe', { element: id })
  return error === undefined && (data as ElementNode).id !== undefined ? (data as ElementNode) : undefined
}

const wanted = ({ states }: ElementNode, value: Field['value']): Record<string, unknown> =>
  typeof value === 'boolean' ? (states?.checked === undefined ? { selected: value } : { checked: value }) : { value: String(value) }

const TOGGLES: ReadonlySet<string> = new Set(['checkbox', 'switch', 'togglebutton', 'radio', 'menuitemcheckbox', 'menuitemradio'])
const ENTRIES: ReadonlySet<string> = new Set(['tab', 'option', 'listitem', 'treeitem', 'row', 'cell', 'menuitem'])
const HOLDERS: ReadonlySet<string> = new Set(['radiogroup', 'tablist', 'list', 'listbox', 'tree', 'table', 'menu', 'group', 'panel'])

/** Whether a control says at all what it is at. */
function tells(control: ElementNode, value: Field['value']): boolean {
  const { role, states, value: held, children = [] } = control
  if (isOpener(control) && asFlag(value) === undefined) return held !== undefined
  if (typeof value === 'boolean') return role === 'button' || onOf({ role, states }) !== undefined
  return (
    held !== undefined ||
    !(role === 'combobox' || HOLDERS.has(role)) ||
    [...inside({ children })].some(isOn) ||
    shows({ children }) !== undefined
  )
}

/** What the part of a control shows that is always in view: its field, or its label. */
function shows({ children = [] }: Pick<ElementNode, 'children'>): string | undefined {
  for (const child of children) {
    if (child.role === 'textbox' && child.states?.visible !== false) return child.value
    if (child.role === 'label' && child.states?.visible !== false) return child.name
    const found = LISTS.has(child.role) ? undefined : shows(child)
    if (found !== undefined) return found
  }
  return undefined
}

const LISTS: ReadonlySet<string> = new Set(['list', 'listbox', 'menu', 'table', 'tree', 'window'])

/** Whether a control is at a value, as far as it can be seen. */
function isAt(control: ElementNode, value: Field['value']): boolean {
  const { role, value: held, name, children = [] } = control
  const flag = asFlag(value)
  const on = onOf(control)
  if (flag !== undefined && on !== undefined && (TOGGLES.has(role) || ENTRIES.has(role) || typeof value === 'boolean')) return on === flag
  const text = String(value)
  if (held !== undefined && (typeof value === 'number' || role === 'slider' || role === 'spinbutton') && Number(held) === Number(text))
    return true
  if (same(held, text) || (NAMED_BY_VALUE.has(role) && same(name, text))) return true
  const parts = dateParts(control, text)
  if (parts !== undefined) return parts.every((part) => Number(part.held) === Number(part.text))
  if (role === 'combobox' && same(shows(control), text)) return true
  if (HOLDERS.has(role) && same(fieldIn(control)?.value, text)) return true
  return [...inside({ children })].some((n) => isOn(n) && same(n.name ?? n.value, text))
}

/** Whether it is checked, pressed or chosen. GTK 4 tells of a toggle button only that it is pressed. */
function onOf({ role, states }: Pick<ElementNode, 'role' | 'states'>): boolean | 'mixed' | undefined {
  const told = states?.checked ?? states?.pressed ?? states?.selected
  return told ?? (role === 'button' ? false : undefined)
}

/** Toolkits name these after what they show. */
const NAMED_BY_VALUE: ReadonlySet<string> = new Set(['combobox', 'cell'])

const isOn = ({ states }: ElementNode): boolean => states?.selected === true || states?.checked === true
/** Fields of numbers add their unit. */
const same = (held: string | undefined, text: string): boolean =>
  held !== undefined &&
  (held.trim() === text.trim() || (/^-?[\d.,]+$/.test(text) && held.replace(/\s?(?:[a-zµ]{1,3}|[%°"'])$/i, '') === text))

function asFlag(value: Field['value']): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (/^(?:true|on|yes|checked|selected)$/i.test(String(value))) return true
  return /^(?:false|off|no|unchecked)$/i.test(String(value)) ? false : undefined
}

const named = ({ id, role, name }: ElementNode): string => `${id} ${role}${name === undefined || name === '' ? '' : ` ${clip(name, 60)}`}`

function shown({ role, states, value, name, children = [] }: ElementNode): string {
  if (states?.password === true) return 'a password'
  if (states?.checked !== undefined) return states.checked === 'mixed' ? 'mixed' : states.checked ? 'checked' : 'unchecked'
  if (states?.pressed !== undefined || role === 'button') return states?.pressed === true ? 'pressed' : 'not pressed'
  if (role === 'tab') return onOf({ role, states }) === true ? 'selected' : 'not selected'
  if (value !== undefined && value !== '') return clip(value, 200)
  const on = [...inside({ children })].find(isOn)
  if (on !== undefined) return clip(on.name ?? on.value ?? on.role)
  const label = role === 'combobox' ? shows({ children }) : HOLDERS.has(role) ? fieldIn({ children })?.value : undefined
  if (label !== undefined) return clip(label)
  if (states?.selected !== undefined && role !== 'cell') return states.selected ? 'selected' : 'not selected'
  return NAMED_BY_VALUE.has(role) && name ? clip(name) : 'empty'
}

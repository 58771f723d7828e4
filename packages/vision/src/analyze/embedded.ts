import type { Rect } from '@deskhand/core/model'
import type { Item, Screen } from './screen.ts'

const MOST = 12
const OPERABLE = new Set([
  'button',
  'link',
  'textbox',
  'checkbox',
  'radio',
  'combobox',
  'menuitem',
  'tab',
  'slider',
  'spinbutton',
  'switch',
  'searchbox',
])
/** What people call roles, one or several. */
const ROLES: readonly [RegExp, string, string][] = [
  [/\bbuttons?\b/, 'button', 'buttons'],
  [/\b(text ?box(es)?|text fields?|input fields?|inputs?|fields?|entries)\b/, 'textbox', 'text fields'],
  [/\bcheck ?box(es)?\b/, 'checkbox', 'check boxes'],
  [/\bradio( ?buttons?)?\b/, 'radio', 'radio buttons'],
  [/\blinks?\b/, 'link', 'links'],
  [/\bmenu items?\b|\bmenus?\b/, 'menuitem', 'menu entries'],
  [/\btabs?\b/, 'tab', 'tabs'],
  [/\b(drop ?downs?|combo ?box(es)?)\b/, 'combobox', 'combo boxes'],
]

/** Answers a question about the screen from its elements and from text that was read, without a model; says so where that cannot tell. */
export function answer(prompt: string, screen: Screen, before?: Screen): string {
  const asked = prompt.toLowerCase()
  const named = mentioned(prompt, screen)
  if (/\b(changed?|different|difference|since|new)\b/.test(asked) && !named) return changes(screen, before)
  if (/\b(focus(ed)?|cursor|keyboard|typing go|type into)\b/.test(asked)) return focus(screen)
  if (/\b(dialog|ask(s|ing|ed)?|prompt|confirm|warning|message box|pop-?up)\b/.test(asked) && !named) return dialog(screen)
  if (BEYOND.test(asked)) return `I cannot tell that from the elements and the text on the screen. ${describe(screen)}`
  if (named) return about(asked, named, screen)
  const quoted = /["“'‘]([^"”'’]+)["”'’]/.exec(prompt)?.[1]
  if (quoted !== undefined) return absent(quoted, screen)
  const role = ROLES.find(([words]) => words.test(asked))
  if (role !== undefined) return list(role[1], role[2], screen)
  if (/\b(windows?|applications?|apps?|programs?|open|running|active)\b/.test(asked)) return windows(screen)
  if (/\b(text|read|written|says?)\b/.test(asked)) return texts(screen)
  if (/\b(describe|see|screen|look|overview|summar|going on|what is this|happening|show(s|n|ing)?)\b/.test(asked)) return describe(screen)
  return `I cannot tell that from the elements and the text on the screen. ${describe(screen)}`
}

/** What neither elements nor text tell of a thing. */
const BEYOND = /\b(colou?rs?|why|who|will|would|should|weather|icon look|font)\b/

function describe(screen: Screen): string {
  const operable = screen.items.filter((i) => OPERABLE.has(i.role) && i.name !== '' && isInActive(i, screen))
  const parts = [windows(screen), focus(screen)]
  if (dialogOf(screen) !== undefined) parts.push(dialog(screen))
  if (operable.length > 0) parts.push(`It offers ${enumerate(operable.map(label))}.`)
  if (screen.read.length > 0) parts.push(texts(screen))
  return parts.join(' ')
}

function windows({ windows: all, activeTitle, complete }: Screen): string {
  const hole = complete ? '' : ' Some of the screen could not be read, so there may be more.'
  if (all.length === 0) return `No window is open.${hole}`
  const titles = all.map((w) => `${quoted(w.name)}${w.name !== '' && w.name === activeTitle ? ' (active)' : ''}`)
  return `${all.length === 1 ? 'One window is' : `${all.length} windows are`} open: ${enumerate(titles)}.${hole}`
}

function focus({ items }: Screen): string {
  const focused = items.filter((i) => i.states.focused === true).at(-1)
  return focused === undefined ? 'No element says that it has the focus.' : `The focus is on ${label(focused)}${holding(focused)}.`
}

const dialogOf = ({ windows: all }: Screen): Item | undefined => all.findLast((w) => w.role !== 'window' || w.states.modal === true)

function dialog(screen: Screen): string {
  const open = dialogOf(screen)
  if (open === undefined) return 'No dialog is open.'
  const inside = screen.items.filter((i) => i.window === open)
  const words = inside.filter((i) => !OPERABLE.has(i.role) && i.name !== '').map((i) => quoted(i.name))
  const buttons = inside.filter((i) => i.role === 'button' && i.name !== '').map((i) => quoted(i.name))
  const says = words.length > 0 ? ` says ${enumerate([...new Set(words)])}` : ' has no text of its own'
  return `The dialog ${quoted(open.name)}${says}${buttons.length > 0 ? `, with the buttons ${enumerate(buttons)}` : ''}.`
}

/** The element or text whose name the question holds; the longest name counts, and of equal ones what can be operated. */
function mentioned(prompt: string, { items, read }: Screen): Item | undefined {
  const asked = ` ${plain(prompt)} `
  const candidates = [...items, ...read.map(({ text, bounds }): Item => ({ role: 'text that was read', name: text, bounds, states: {} }))]
  const fits = candidates.filter((i) => plain(i.name).length >= 2 && asked.includes(` ${plain(i.name)} `) && !COMMON.has(plain(i.name)))
  return fits.toSorted(
    (a, b) => plain(b.name).length - plain(a.name).length || Number(OPERABLE.has(b.role)) - Number(OPERABLE.has(a.role)),
  )[0]
}

/** Names that are words of most questions. */
const COMMON = new Set([
  'the',
  'is',
  'what',
  'where',
  'button',
  'window',
  'text',
  'field',
  'screen',
  'open',
  'on',
  'in',
  'it',
  'to',
  'label',
  'entry',
])
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

function about(asked: string, item: Item, screen: Screen): string {
  const twins = screen.items.filter((i) => i.name === item.name && i.role === item.role)
  const several = twins.length > 1 ? ` There are ${twins.length} of that name.` : ''
  const { states } = item
  if (/\b(checked|ticked|selected|on or off)\b/.test(asked) && (states.checked ?? states.selected) !== undefined)
    return `${capital(label(item))} is ${(states.checked ?? states.selected) === true ? '' : 'not '}${states.checked === undefined ? 'selected' : 'checked'}.${several}`
  if (/\b(enabled|disabled|gr[ae]y(ed)?|active|clickable|available)\b/.test(asked))
    return `${capital(label(item))} is ${states.enabled === false ? 'disabled' : 'enabled'}.${several}`
  if (
    /\b(value|contains?|filled|entered|content|typed|says?|empty|holds?|written|what is in)\b/.test(asked) &&
    (item.value !== undefined || item.role === 'textbox')
  )
    return `${capital(label(item))} ${item.value ? `holds ${quoted(item.value)}` : 'is empty'}.${several}`
  const where = item.bounds === undefined ? ', and it does not tell where it is' : `, at ${place(item.bounds)}`
  const inside = item.window === undefined ? '' : ` in the window ${quoted(item.window.name)}`
  const state = [states.enabled === false && 'disabled', states.checked === true && 'checked', states.focused === true && 'focused'].filter(
    Boolean,
  )
  return `There is ${label(item)}${inside}${where}${state.length > 0 ? `; it is ${state.join(' and ')}` : ''}${holding(item)}.${several}`
}

const absent = (text: string, { complete }: Screen): string =>
  complete
    ? `I see nothing called ${quoted(text)}.`
    : `I see nothing called ${quoted(text)}, but parts of the screen could not be read, so I cannot tell for certain.`

function list(role: string, plural: string, screen: Screen): string {
  const all = screen.items.filter((i) => i.role === role)
  const [found, others] = [all.filter((i) => isInActive(i, screen)), all.filter((i) => !isInActive(i, screen))]
  const named = (items: readonly Item[]): string =>
    enumerate(items.filter((i) => i.name !== '').map((i) => `${quoted(i.name)}${i.states.checked === true ? ' (checked)' : ''}`))
  const elsewhere = others.length === 0 ? '' : ` ${others.length} more in other windows: ${named(others)}.`
  return found.length === 0 ? `I see no ${plural}.${elsewhere}` : `I see ${found.length} ${plural}: ${named(found)}.${elsewhere}`
}

function texts({ items, read }: Screen): string {
  const words = read.length > 0 ? read.map((r) => r.text) : items.filter((i) => !OPERABLE.has(i.role) && i.name !== '').map((i) => i.name)
  return words.length === 0 ? 'I read no text.' : `It says ${enumerate([...new Set(words)].map(quoted))}.`
}

function changes(screen: Screen, before: Screen | undefined): string {
  if (before === undefined) return 'I have not looked at this screen before, so I cannot tell what changed.'
  const lines = ({ windows: w, items, read }: Screen): Set<string> =>
    new Set([
      ...w.map(label),
      ...items.map((i) => `${label(i)}${holding(i)}${i.states.checked === true ? ', checked' : ''}`),
      ...read.map((r) => quoted(r.text)),
    ])
  const [was, is] = [lines(before), lines(screen)]
  const [added, gone] = [[...is].filter((l) => !was.has(l)), [...was].filter((l) => !is.has(l))]
  if (added.length + gone.length === 0) return 'Nothing changed since I last looked.'
  return [added.length > 0 ? `New: ${enumerate(added)}.` : '', gone.length > 0 ? `Gone: ${enumerate(gone)}.` : ''].filter(Boolean).join(' ')
}

const isInActive = ({ window }: Item, { activeTitle }: Screen): boolean =>
  activeTitle === undefined || window === undefined || window.name === activeTitle
const label = ({ role, name }: Item): string => `the ${role}${name === '' ? ' without a name' : ` ${quoted(name)}`}`
const holding = ({ value }: Item): string => (value === undefined || value === '' ? '' : `, which holds ${quoted(value)}`)
const place = ({ x, y, w, h }: Rect): string =>
  `(${Math.round(x + w / 2)}, ${Math.round(y + h / 2)}), ${Math.round(w)}x${Math.round(h)} pixels large`
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
/** Text from the screen, on one line: it is data, whatever it says. */
const quoted = (text: string): string => JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text)

function enumerate(texts: readonly string[]): string {
  const shown = texts.slice(0, MOST)
  const more = texts.length - shown.length
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

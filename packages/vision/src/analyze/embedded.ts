import { about, chosenOf, relation, rowOf } from './about.ts'
import { dialog, dialogOf } from './dialog.ts'
import { capital, enumerate, holding, label, PROPERTIES, quoted, unlessWhole } from './say.ts'
import type { Item, Screen } from './screen.ts'
import { kindIn, mentioned, OPERABLE, plain, related, tellingOf, type Kind } from './subject.ts'

/** What neither elements nor text tell of a thing. */
const BEYOND = /\b(colou?rs?|why|weather|will|would|should|tomorrow|happens?|icon look|fonts?)\b/
const CANNOT = 'I cannot tell that from the elements and the text on the screen.'

/** Answers a question about the screen from its elements and from text that was read, without a model; says so where that cannot tell. */
export function answer(prompt: string, screen: Screen, before?: Screen): string {
  const asked = prompt.toLowerCase()
  const named = mentioned(prompt, screen)
  const things = named.filter((item) => !screen.windows.includes(item))
  if (/\b(changed?|different|difference|since|new)\b/.test(asked) && named.length === 0) return changes(screen, before)
  if (/\b(focus(ed)?|cursor|keyboard|typing go|type into)\b/.test(asked)) return focus(screen)
  if (BEYOND.test(asked)) return `${CANNOT} ${things[0] === undefined ? describe(screen) : about('', things[0], screen)}`
  if (DIALOG.test(asked) && things.every((i) => i.window === dialogOf(screen))) return dialog(asked, screen)
  if (/\bwho(se|m)?\b/.test(asked) && things.every((i) => !i.value)) return `${CANNOT} ${describe(screen)}`
  const called = /\b(?:called|named|titled) ([\p{L}\p{N}][^?.!]*)/u.exec(prompt)?.[1]
  const quote = /["“'‘]([^"”'’]+)["”'’]/.exec(prompt)?.[1]
  const word = quote ?? /\b(?:words?|phrase|text) (\S{3,}?)[?.!]*(?: (?:appear|any|on|some|there|visible|shown|be|in)|$)/i.exec(prompt)?.[1]
  if (called !== undefined && named.length === 0) return search(called, screen)
  if (word !== undefined && (named.length === 0 || quote === undefined)) return search(word, screen)
  const aside = relation(asked, things[0], screen)
  if (aside !== undefined) return aside
  const kind = kindIn(asked)
  if (/\bhow many\b/.test(asked)) return count(asked, kind, named, screen)
  if (/\bor\b/.test(asked) && things.length > 1) return things.map((item) => about(asked, item, screen)).join(' ')
  const [thing] = things.toSorted((a, b) => weight(b) - weight(a))
  if (thing !== undefined) return about(asked, thing, screen)
  if (kind !== undefined && isAboutOne(asked)) {
    const sought = tellingOf(prompt, kind)
    const said = screen.items.filter((i) => kind.roles.includes(i.role)).map((i) => ` ${plain(i.name)} `)
    if (
      sought !== '' &&
      !plain(sought)
        .split(' ')
        .some((w) => said.some((name) => name.includes(` ${w} `)))
    )
      return `No, I see no ${oneOf(kind.plural)} called ${quoted(sought)}.${unlessWhole(screen)}`
  }
  if (kind !== undefined) return list(asked, kind, named[0], screen)
  if (/\b(windows?|applications?|apps?|programs?|open|running|active)\b/.test(asked)) return windows(screen)
  if (named[0] !== undefined) return about(asked, named[0], screen)
  if (/\b(describe|see|screen|look|overview|summar|going on|what is this|happening|show(s|n|ing)?)\b/.test(asked) && isGeneral(prompt))
    return describe(screen)
  const near = related(prompt, screen)
  if (near !== undefined) return `${near.all ? '' : 'I am not sure that this is what is meant: '}${about(asked, near.item, screen)}`
  if (/\b(text|read|written|says?)\b/.test(asked)) return texts(screen)
  return `${CANNOT} ${describe(screen)}`
}

const DIALOG = /\b(dialogs?|ask(s|ing|ed)?|answer|prompt|confirm|warn(s|ing)?|errors?|message|alert|pop-?up|block(s|ed|ing)?)\b/

/** Of several things that a question names it is about what can be operated, or about a cell of the list that it names as well. */
const weight = ({ role }: Item): number => (OPERABLE.has(role) ? 2 : /^(cell|rowheader|option|listitem)$/.test(role) ? 1 : 0)

const isAboutOne = (asked: string): boolean => /^(is there|do you see|can you see|does it have|is) an?\b/.test(asked)

/** Whether a question is about the screen as a whole. */
const isGeneral = (prompt: string): boolean => plain(prompt).split(' ').length <= 8

function describe(screen: Screen): string {
  const operable = screen.items.filter((i) => OPERABLE.has(i.role) && i.name !== '' && isInActive(i, screen))
  const parts = [windows(screen), focus(screen)]
  if (dialogOf(screen) !== undefined) parts.push(dialog('', screen))
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

function count(asked: string, kind: Kind | undefined, named: readonly Item[], screen: Screen): string {
  const offering = named.find((i) => i.choices !== undefined)
  if (offering?.choices !== undefined)
    return `There are ${offering.choices.length} in ${label(offering)}: ${enumerate(offering.choices.map(quoted))}.`
  const inside = named.find((i) => !OPERABLE.has(i.role) && (i.role !== 'columnheader' || kind === undefined))
  const table = inside?.role === 'columnheader' ? tableOf(inside) : inside
  const parts = table === undefined ? [] : partsOf(table, screen)
  if (table !== undefined && parts.length > 0 && kind === undefined)
    return `There are ${parts.length} in ${label(table)}: ${enumerate(parts.map((i) => quoted(titleOf(i, screen))))}.`
  if (kind !== undefined) return list(asked, kind, named[0], screen)
  if (/\b(windows?|applications?|apps?|programs?)\b/.test(asked)) return windows(screen)
  return named[0] === undefined ? `${CANNOT} ${describe(screen)}` : about(asked, named[0], screen)
}

const tableOf = (item: Item): Item | undefined => (item.parent === undefined || item.role === 'table' ? item : tableOf(item.parent))

const PARTS = new Set(['option', 'listitem', 'treeitem', 'row', 'radio', 'tab', 'menuitem', 'menu'])

/** The rows of a table, without that of the headers, and the items of a list. */
const partsOf = (around: Item, { items }: Screen): Item[] =>
  items.filter((i) => i.parent === around && PARTS.has(i.role) && !items.some((c) => c.parent === i && c.role === 'columnheader'))

const titleOf = (item: Item, screen: Screen): string => (item.name === '' ? rowOf(item, screen) : item.name)

/** What there is of a kind, in which windows and states; where the question names a state, only what has it. */
function list(asked: string, { roles, plural }: Kind, within: Item | undefined, screen: Screen): string {
  const { items } = screen
  const isHeader = (i: Item): boolean => i.role === 'row' && items.some((c) => c.parent === i && c.role === 'columnheader')
  const all = items.filter((i) => roles.includes(i.role) && !isHeader(i) && (within === undefined || i.window === within))
  const said = roles.includes('tab') ? asked.replace(/\b(active|open|current)\b/, 'selected') : asked
  const property = PROPERTIES.find((p) => p.asked.test(said) && all.some((i) => p.of(i) !== undefined))
  const wanted = property !== undefined && !property.contrary.test(said)
  const found = property === undefined ? all : all.filter((i) => property.of(i) === wanted)
  const which = property === undefined ? '' : ` that are ${property.is[wanted ? 0 : 1]}`
  const chosen = roles.includes('tab') || roles.includes('option') ? chosenOf(screen, roles) : undefined
  if (found.length === 0 && chosen !== undefined && property !== undefined) return chosen
  if (found.length === 0) return `I see no ${plural}${which}.${unlessWhole(screen)}`
  if (roles[0] === 'statusbar' || (roles[0] === 'progressbar' && found.length === 1))
    return found.map((i) => about(asked, i, screen)).join(' ')
  const places = [...new Set(found.map((i) => i.window))].toSorted((a, b) => Number(isActive(b, screen)) - Number(isActive(a, screen)))
  const told = places.map((win) => {
    const here = found.filter((i) => i.window === win)
    return `${win === undefined || screen.windows.length < 2 ? '' : `in ${quoted(win.name)} `}${enumerate(here.map((i) => stated(i, screen)))}`
  })
  return `I see ${found.length === 1 ? `1 ${oneOf(plural)}` : `${found.length} ${plural}`}${found.length === 1 ? which.replace('are', 'is') : which}: ${told.join('; ')}.`
}

const oneOf = (plural: string): string =>
  plural
    .replace(/ies$/, 'y')
    .replace(/(box|switch)es$/, '$1')
    .replace(/s$/, '')

function stated(item: Item, screen: Screen): string {
  const { states, value } = item
  const title = titleOf(item, screen)
  const more = [
    states.checked === true || states.pressed === true ? 'checked' : '',
    states.selected === true ? 'selected' : '',
    states.enabled === false ? 'disabled' : '',
    value ? `holds ${quoted(value)}` : '',
  ].filter(Boolean)
  return `${title === '' ? 'one without a name' : quoted(title)}${more.length > 0 ? ` (${more.join(', ')})` : ''}`
}

/** Where a word stands on the screen, in names, values and text that was read. */
function search(text: string, screen: Screen): string {
  const wanted = text.toLowerCase()
  const has = (said = ''): boolean => said.toLowerCase().includes(wanted)
  const item = screen.items.find((i) => has(i.name)) ?? screen.items.find((i) => has(i.value)) ?? screen.windows.find((w) => has(w.name))
  if (item !== undefined) return `Yes: ${about('', item, screen)}`
  const line = screen.read.find((r) => has(r.text))
  if (line !== undefined) return `Yes, I read ${quoted(line.text)}.`
  return `No, I see nothing called ${quoted(text)}.${unlessWhole(screen)}`
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
  return [added.length > 0 ? `New: ${enumerate(added)}.` : '', gone.length > 0 ? `Gone: ${enumerate(gone)}.` : '']
    .filter(Boolean)
    .map(capital)
    .join(' ')
}

const isActive = (window: Item | undefined, { activeTitle }: Screen): boolean =>
  activeTitle === undefined || window === undefined || window.name === activeTitle
const isInActive = ({ window }: Item, screen: Screen): boolean => isActive(window, screen)

import type { Item, Screen } from './screen.ts'

export const OPERABLE: ReadonlySet<string> = new Set([
  'button',
  'togglebutton',
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

/** What people call roles, which roles are meant, and how several of them are called. */
const KINDS: readonly (readonly [words: RegExp, roles: readonly string[], plural: string])[] = [
  [/\bradio( ?buttons?)?\b/, ['radio'], 'radio buttons'],
  [/\b(toggle ?buttons?|toggles?)\b/, ['togglebutton', 'switch'], 'toggles'],
  [/\bbuttons?\b/, ['button', 'togglebutton'], 'buttons'],
  [/\b(text ?box(es)?|text fields?|input fields?|inputs?|fields?|entries)\b/, ['textbox', 'searchbox'], 'text fields'],
  [/\bcheck ?(box(es)?|marks?)\b/, ['checkbox'], 'check boxes'],
  [/\bswitch(es)?\b/, ['switch'], 'switches'],
  [/\b(hyper)?links?\b/, ['link'], 'links'],
  [/\bmenu (items?|entries)\b/, ['menuitem', 'menuitemcheckbox', 'menuitemradio'], 'menu entries'],
  [/\bmenus?\b/, ['menu', 'menuitem'], 'menus'],
  [/\btabs?\b/, ['tab'], 'tabs'],
  [/\b(drop ?downs?|combo ?box(es)?|drop-down lists?)\b/, ['combobox'], 'drop-down lists'],
  [/\bsliders?\b/, ['slider'], 'sliders'],
  [/\b(columns?|headers?)\b/, ['columnheader'], 'columns'],
  [/\brows?\b/, ['row'], 'rows'],
  [/\b(status ?bars?)\b/, ['statusbar'], 'status bars'],
  [/\b(progress( ?bars?)?)\b/, ['progressbar'], 'progress bars'],
  [/\btables?\b/, ['table'], 'tables'],
  [/\b(list ?)?(items?|elements?|options?|choices?)\b/, ['option', 'listitem', 'treeitem', 'row'], 'items'],
  [/\b(images?|pictures?|icons?)\b/, ['image'], 'pictures'],
  [/\bhead(ing|line)s?\b/, ['heading'], 'headings'],
]

export interface Kind {
  words: RegExp
  roles: readonly string[]
  plural: string
}

export function kindIn(asked: string): Kind | undefined {
  const kind = KINDS.find(([words]) => words.test(asked))
  return kind && { words: kind[0], roles: kind[1], plural: kind[2] }
}

/** Words of most questions, which say nothing of what they are about. */
const COMMON = new Set(
  (
    'a about all an and any anywhere appear appears are at be been box button by called can click contain contains could current currently ' +
    'desktop did dialog display do does element entered entry field find for get got has have held here how i icon if in is it item kind label ' +
    'list located look made many me menu much must my name now of on open or our over page please press read right say says screen see seen set show ' +
    'shown shows some tell text that the then there these they thing this to type under up us value was we what when where which who will ' +
    'window with word words write written yes you your'
  ).split(' '),
)

/** In lower case, words alone, without the endings of plurals. */
export const plain = (text: string): string =>
  wordsOf(text)
    .map((w) => (w.length > 3 && /[^s]s$/.test(w) ? w.slice(0, -1) : w))
    .join(' ')

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** The words of a question that say what it is about. */
const telling = (prompt: string): string[] => wordsOf(prompt).flatMap((w) => (COMMON.has(w) ? [] : [plain(w)]))

/** The same as they stand there, without those for its kind. */
export const tellingOf = (prompt: string, { words }: Kind): string =>
  (prompt.match(/[\p{L}\p{N}]+/gu) ?? []).filter((w) => !COMMON.has(w.toLowerCase()) && !words.test(w.toLowerCase())).join(' ')

/** The elements and texts whose names a question holds, in its order; of equal names what can be operated, or what holds others. */
export function mentioned(prompt: string, { items, windows, read }: Screen): Item[] {
  const texts = read.map(({ text, bounds }): Item => ({ role: 'text that was read', name: text, bounds, states: {} }))
  const named = [...items, ...windows, ...texts]
    .map((item) => ({ item, name: plain(item.name) }))
    .filter(({ item, name }) => name.length >= 2 && isMeant(item, name, prompt))
    .toSorted((a, b) => b.name.length - a.name.length || rank(a.item) - rank(b.item))
  const found: { item: Item; at: number }[] = []
  let rest = ` ${plain(prompt)} `
  for (const { item, name } of named) {
    const at = rest.indexOf(` ${name} `)
    if (at < 0) continue
    found.push({ item, at })
    rest = `${rest.slice(0, at + 1)}${'\u0000'.repeat(name.length)}${rest.slice(at + 1 + name.length)}`
  }
  return found.toSorted((a, b) => a.at - b.at).map(({ item }) => item)
}

const rank = ({ role }: Item): number => (OPERABLE.has(role) ? 0 : HOLDS.has(role) ? 1 : /header|cell/.test(role) ? 3 : 2)
const HOLDS = new Set(['list', 'listbox', 'table', 'tree', 'radiogroup', 'tablist', 'menu', 'menubar'])

/** A name that is a word of most questions is meant only in quotes, with a capital, or where its kind stands after it. */
function isMeant(item: Item, name: string, prompt: string): boolean {
  if (name.split(' ').some((w) => !COMMON.has(w))) return true
  const { source } = new RegExp(item.name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  if (new RegExp(`["“'‘]${source}["”'’]`, 'iu').test(prompt)) return true
  if (/^\p{Lu}/u.test(item.name) && new RegExp(`(?<!^)\\b${source}\\b`, 'u').test(prompt)) return true
  const after = new RegExp(`(?<!^)\\b${source} ((?:check |radio |text |menu )?[a-z]+)`, 'iu').exec(prompt)?.[1]
  return after !== undefined && kindIn(after.toLowerCase())?.roles.includes(item.role) === true
}

/** What says most of the words by which a question tells what it is about, at least half of them; `all`: every one. */
export function related(prompt: string, { items, read }: Screen): { item: Item; all: boolean } | undefined {
  const wanted = new Set(telling(prompt))
  if (wanted.size === 0) return undefined
  const texts = read.map(({ text, bounds }): Item => ({ role: 'text that was read', name: text, bounds, states: {} }))
  const scored = [...items, ...texts].map((item) => {
    const said = new Set(plain(`${item.name} ${item.value ?? ''}`).split(' '))
    return { item, share: [...wanted].filter((w) => said.has(w)).length / wanted.size, length: said.size }
  })
  const [best] = scored
    .filter(({ share }) => share >= 0.5)
    .toSorted((a, b) => b.share - a.share || saying(b.item) - saying(a.item) || a.length - b.length)
  return best && { item: best.item, all: best.share === 1 }
}

/** What is a name alone tells less than a text or a value. */
const saying = ({ role, value }: Item): number => (!OPERABLE.has(role) || value ? 1 : 0)

export const isIn = (item: Item, around: Item): boolean =>
  item.parent === around || (item.parent !== undefined && isIn(item.parent, around)) || item.window === around

import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import { parseChord } from '@deskhand/core/model'
import { Rules, type Rule } from './rule.ts'

/** How many times larger than its parent an element may be. */
export const MAX_RATIO = 1000
const ratio = z.number().min(-MAX_RATIO).max(MAX_RATIO)
const size = z.number().min(0).max(MAX_RATIO)

/** What Deskhand itself understands under `attributes`; anything else is kept and shown as it is. */
export const Attributes = z.looseObject({
  on: Rules.optional(),
  /** Where children without bounds go: below each other (default) or beside each other. */
  layout: z.enum(['column', 'row']).optional(),
  description: z.string().optional(),
  placeholder: z.string().optional(),
  tooltip: z.string().optional(),
  read_only: z.boolean().optional(),
  required: z.boolean().optional(),
  max_length: z.number().int().min(0).optional(),
  /** A chord such as "ctrl+s" that activates the element while its window is active. */
  shortcut: z
    .string()
    .refine((s) => parseChord(s) !== undefined, 'is no chord of known keys')
    .optional(),
  is_checked: z.boolean().optional(),
  is_selected: z.boolean().optional(),
  is_expanded: z.boolean().optional(),
  is_scrollable: z.boolean().optional(),
  is_draggable: z.boolean().optional(),
  multi_select: z.boolean().optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  step: z.number().positive().optional(),
  /** The choices of a list or select, as labels; shorthand for children of type option. */
  options: z.array(z.string()).optional(),
  columns: z.array(z.string()).optional(),
  rows: z.array(z.array(z.string())).optional(),
  /** The element_id of the menu that a right click opens. */
  context_menu: z.string().optional(),
  modal: z.boolean().optional(),
  closable: z.boolean().optional(),
  /** The application a window belongs to. */
  app: z.string().min(1).optional(),
})
export type Attributes = z.infer<typeof Attributes>

/** An element as S2 §6 describes it. Python's Optional fields may be left out or null. */
export interface VirtualInputElementDescription {
  element_id: string
  element_type: string
  label_text?: string | null
  value?: unknown
  is_enabled?: boolean | null
  is_focused?: boolean | null
  is_visible?: boolean | null
  bounds_relative?: [number, number, number, number] | null
  children?: VirtualInputElementDescription[] | null
  attributes?: Attributes | null
}
export const VirtualInputElementDescription: z.ZodType<VirtualInputElementDescription> = z.strictObject({
  element_id: z.string().min(1).max(500),
  element_type: z.string().min(1).max(100),
  label_text: z.string().nullish(),
  value: z.unknown().optional(),
  is_enabled: z.boolean().nullish(),
  is_focused: z.boolean().nullish(),
  is_visible: z.boolean().nullish(),
  bounds_relative: z.tuple([ratio, ratio, size, size]).nullish(),
  get children() {
    return z.array(VirtualInputElementDescription).nullish()
  },
  attributes: Attributes.nullish(),
})

const Windows = z.strictObject({
  screen: z.strictObject({ width: z.number().int().min(64).max(8192), height: z.number().int().min(64).max(8192) }).optional(),
  theme: z.enum(['light', 'dark']).optional(),
  clipboard: z.string().optional(),
  windows: z.array(VirtualInputElementDescription),
  /** What can be launched: the windows that an application opens. */
  apps: z.record(z.string().min(1), z.array(VirtualInputElementDescription)).optional(),
})

/** A simulated user interface: a list of elements, or windows with their surroundings. */
export interface UiFile {
  screen?: { width: number; height: number }
  /** How it looks; light when left out. */
  theme?: 'light' | 'dark'
  clipboard?: string
  windows: VirtualInputElementDescription[]
  apps?: Record<string, VirtualInputElementDescription[]>
}

export const MAX_ELEMENTS = 150_000
const MAX_DEPTH = 100

/** Reads a user interface; every fault is a BAD_UI_FILE that names the path of the bad field. */
export function parseUiFile(input: unknown): UiFile {
  const json = typeof input === 'string' ? parseJson(input) : input
  limitSize(json)
  const list = Array.isArray(json)
  const read = list ? z.array(VirtualInputElementDescription).safeParse(json) : Windows.safeParse(json)
  if (!read.success) {
    const problems = read.error.issues.map((i) => ({ path: formatPath(i.path), message: i.message }))
    throw bad(problems[0]?.path ?? '', problems[0]?.message ?? 'is no user interface', problems)
  }
  const ui: UiFile = Array.isArray(read.data) ? { windows: read.data } : read.data
  checkReferences(ui, list ? [] : ['windows'])
  return ui
}

type Path = readonly PropertyKey[]

function bad(path: string, message: string, problems: { path: string; message: string }[] = [{ path, message }]): DeskhandError {
  return new DeskhandError('BAD_UI_FILE', `${path || 'the file'}: ${message}`, { details: { path, problems } })
}

function formatPath(path: Path): string {
  return path.reduce<string>((out, p) => (typeof p === 'number' ? `${out}[${p}]` : out ? `${out}.${String(p)}` : String(p)), '')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (e) {
    throw bad('', e instanceof Error ? e.message : 'is not JSON')
  }
}

/** Stops before recursion could: a file that nests without end, or describes more than a desktop can hold. */
function limitSize(json: unknown): void {
  const open: { at: unknown; depth: number }[] = [{ at: json, depth: 0 }]
  let seen = 0
  for (let next = open.pop(); next; next = open.pop()) {
    if (['bigint', 'function', 'symbol'].includes(typeof next.at)) throw bad('', `holds a ${typeof next.at}, which is not JSON`)
    if (typeof next.at !== 'object' || next.at === null) continue
    if (next.depth > MAX_DEPTH * 2) throw bad('', `nests deeper than ${MAX_DEPTH} levels`)
    if (++seen > MAX_ELEMENTS * 10) throw bad('', 'is too large')
    for (const value of Object.values(next.at)) open.push({ at: value, depth: next.depth + 1 })
  }
}

/** The ids of the children that `options`, `columns` and `rows` stand for. */
function generatedIds(el: VirtualInputElementDescription): string[] {
  const { options = [], columns, rows = [] } = el.attributes ?? {}
  if (el.children?.length) return []
  const row = (id: string, cells: string[]): string[] => [id, ...cells.map((_, i) => `${id}[${i}]`)]
  const own = (i: number): string => `${el.element_id}[${i}]`
  const header = columns !== undefined ? row(`${el.element_id}[header]`, columns) : []
  return [...options.map((_, i) => own(i)), ...header, ...rows.flatMap((cells, i) => row(own(i), cells))]
}

/** Every element_id is there once, and every id that a rule names exists. */
function checkReferences(ui: UiFile, root: Path): void {
  const ids = new Set<string>()
  const wanted: { id: string; path: Path }[] = []
  const visit = (el: VirtualInputElementDescription, path: Path): void => {
    if (ids.has(el.element_id)) throw bad(formatPath([...path, 'element_id']), `"${el.element_id}" is used twice`)
    ids.add(el.element_id)
    for (const id of generatedIds(el)) ids.add(id)
    if (ids.size > MAX_ELEMENTS) throw bad('', `has more than ${MAX_ELEMENTS} elements`)
    const { on, context_menu } = el.attributes ?? {}
    if (context_menu !== undefined) wanted.push({ id: context_menu, path: [...path, 'attributes', 'context_menu'] })
    for (const [event, rules] of Object.entries(on ?? {})) rules.forEach((r, i) => visitRule(r, [...path, 'attributes', 'on', event, i]))
    el.children?.forEach((c, i) => visit(c, [...path, 'children', i]))
  }
  const visitRule = (rule: Rule, path: Path): void => {
    if (rule.when) wanted.push({ id: rule.when.element, path: [...path, 'when', 'element'] })
    if ('element' in rule && rule.element !== undefined) wanted.push({ id: rule.element, path: [...path, 'element'] })
    if (rule.do === 'run_code') wanted.push({ id: rule.from, path: [...path, 'from'] })
    if (rule.do === 'run_code' && rule.into) wanted.push({ id: rule.into, path: [...path, 'into'] })
    if (rule.do === 'after') rule.then.forEach((r, i) => visitRule(r, [...path, 'then', i]))
    if (rule.do === 'append' && typeof rule.item === 'object') {
      const read = VirtualInputElementDescription.safeParse(rule.item)
      if (!read.success) {
        const issue = read.error.issues[0]
        throw bad(formatPath([...path, 'item', ...(issue?.path ?? [])]), issue?.message ?? 'is no element')
      }
    }
  }
  ui.windows.forEach((w, i) => visit(w, [...root, i]))
  for (const [app, windows] of Object.entries(ui.apps ?? {})) windows.forEach((w, i) => visit(w, ['apps', app, i]))
  for (const { id, path } of wanted) {
    if (!ids.has(id)) throw bad(formatPath(path), `there is no element "${id}"`)
  }
}

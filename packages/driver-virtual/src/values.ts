import type { Desktop } from './desktop.ts'
import { newText, replaceAll } from './input/editing.ts'
import { isMultiline, type Element } from './model/element.ts'
import { textWidth } from './metrics.ts'

/** What `value` means for each kind of element, as its description has it. */
export function valueOf(el: Element): unknown {
  switch (el.kind) {
    case 'text':
      return el.text?.text ?? ''
    case 'check':
    case 'radio':
      return el.checked
    case 'menuitem':
      return el.role === 'menuitem' ? (el.value ?? null) : el.checked
    case 'select':
      return el.children.find((c) => c.selected)?.label ?? null
    case 'list':
    case 'tree':
    case 'table': {
      const chosen = selectedIn(el).map((c) => c.label ?? c.children.map((cell) => cell.label ?? '').join('\t'))
      return el.attributes.multi_select ? chosen : (chosen[0] ?? null)
    }
    case 'tabs':
      return el.children.find((c) => c.selected)?.label ?? null
    default:
      return el.value ?? null
  }
}

/** Sets a value from a rule, a file or a semantic step; what does not fit the kind is ignored. */
export function setState(desk: Desktop, el: Element, value: unknown): void {
  desk.touch(el)
  switch (el.kind) {
    case 'text': {
      const text = cleanText(el, asText(value))
      el.text ??= newText('')
      return replaceAll(el.text, text)
    }
    case 'check':
    case 'radio':
      el.checked = value === true || value === 'true'
      if (el.kind === 'radio' && el.checked) uncheckOthers(desk, el)
      return
    case 'menuitem':
      if (el.role === 'menuitem') el.value = value
      else el.checked = value === true
      return
    case 'range': {
      const number = Number(value)
      if (!Number.isFinite(number)) return
      el.value = clampRange(el, number)
      if (el.text) el.text = newText(String(el.value))
      return
    }
    case 'select':
    case 'list':
    case 'tree':
    case 'table':
    case 'tabs': {
      const wanted = new Set((Array.isArray(value) ? value : [value]).map(asText))
      for (const item of selectable(el)) {
        const selected = wanted.has(item.label ?? '')
        if (item.selected !== selected) {
          item.selected = selected
          desk.touch(item)
        }
      }
      if (el.kind === 'tabs') desk.relayout(el)
      return
    }
    default:
      el.value = value
  }
}

/** Any value as a person would read it. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return Array.isArray(value) ? value.map(asText).join(', ') : JSON.stringify(value)
}

export function setLabel(desk: Desktop, el: Element, label: string): void {
  if (el.label === label) return
  const grew = textWidth(el.label ?? '') !== textWidth(label)
  el.label = label
  desk.touch(el)
  if (grew && !el.bounds) desk.relayout(el)
}

export function setShown(desk: Desktop, el: Element, visible: boolean): void {
  if (el.visible === visible) return
  el.visible = visible
  desk.touch(el)
  desk.relayout(el)
}

/** What a field can hold: one line has no line breaks, and a limit cuts. */
export function cleanText(el: Element, text: string): string {
  const line = isMultiline(el) ? text.replaceAll(/\r\n?/g, '\n') : text.replaceAll(/[\r\n]+/g, ' ')
  const max = el.attributes.max_length
  return max === undefined ? line : [...line].slice(0, max).join('')
}

export const minOf = (el: Element): number => el.attributes.min ?? 0
export const maxOf = (el: Element): number => Math.max(minOf(el), el.attributes.max ?? 100)
export const stepOf = (el: Element): number => el.attributes.step ?? 1

/** Within the limits, on a step. */
export function clampRange(el: Element, number: number): number {
  const stepped = minOf(el) + Math.round((number - minOf(el)) / stepOf(el)) * stepOf(el)
  return Number(Math.min(maxOf(el), Math.max(minOf(el), stepped)).toFixed(10))
}

/** The rows, options or items that a list, table or tree lets one choose. */
export function selectable(el: Element): Element[] {
  if (el.kind === 'tree') return [...items(el)]
  return el.children.filter((c) => c.kind === 'option' || c.kind === 'tab' || (c.kind === 'row' && !isHeader(c)))
}

export const isHeader = (row: Element): boolean => row.children[0]?.role === 'columnheader'

const selectedIn = (el: Element): Element[] => selectable(el).filter((c) => c.selected)

function* items(el: Element): Generator<Element> {
  for (const child of el.children) {
    if (child.kind !== 'treeitem') continue
    yield child
    yield* items(child)
  }
}

/** Radio buttons with the same `attributes.group`, or the same parent, exclude each other. */
export function uncheckOthers(desk: Desktop, el: Element): void {
  const group = el.attributes['group']
  const rivals =
    group === undefined ? (el.parent?.children ?? []) : [...desk.elements.values()].filter((e) => e.attributes['group'] === group)
  for (const other of rivals) {
    if (other === el || other.kind !== el.kind || other.role !== el.role || !other.checked) continue
    other.checked = false
    desk.touch(other)
  }
}

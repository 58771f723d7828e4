import type { Desktop } from './desktop.ts'
import { buildElement, removeElement } from './build.ts'
import { setFocus } from './focus.ts'
import { isPassword, windowOf, type Element } from './model/element.ts'
import type { Rule, When } from './model/rule.ts'
import { MAX_ELEMENTS, VirtualInputElementDescription } from './model/ui-file.ts'
import { asText, setLabel, setShown, setState, valueOf } from './values.ts'
import { closeWindow, openWindow } from './windows.ts'

/** Rules that set each other off would never end: this many may follow from one event, this deep. */
const MAX_NESTING = 20
const MAX_RULES = 1000
let nesting = 0
let left = 0

/** Runs what the interface declares for an event on an element. */
export function emit(desk: Desktop, el: Element, event: string): void {
  const rules = el.attributes.on?.[event]
  if (rules) runAll(desk, el, rules)
  else if (event === 'click' && el.id === 'run_code_button') runCode(desk, 'code_editor', 'code_output_display')
}

function runAll(desk: Desktop, el: Element, rules: Rule[]): void {
  if (nesting >= MAX_NESTING) return
  if (nesting === 0) left = MAX_RULES
  nesting++
  try {
    for (const rule of rules) if (left-- > 0 && (!rule.when || holds(desk, rule.when))) run(desk, el, rule)
  } finally {
    nesting--
  }
}

function run(desk: Desktop, source: Element, rule: Rule): void {
  if (rule.do === 'after') {
    desk.clock.after(rule.ms, () => {
      if (!desk.elements.has(source.key)) return
      runAll(desk, source, rule.then)
      desk.flush()
    })
    return desk.log.wake()
  }
  if (rule.do === 'run_code') return runCode(desk, rule.from, rule.into)
  if (rule.do === 'close' && rule.element === undefined) return closeWindow(desk, windowOf(source))
  const el = desk.byId.get(rule.element ?? '')
  if (!el) return
  switch (rule.do) {
    case 'set':
      if (rule.label_text !== undefined) setLabel(desk, el, fill(desk, rule.label_text))
      if (rule.value !== undefined) setState(desk, el, typeof rule.value === 'string' ? fill(desk, rule.value) : rule.value)
      if (rule.is_enabled !== undefined) setEnabled(desk, el, rule.is_enabled)
      if (rule.is_visible !== undefined) show(desk, el, rule.is_visible)
      return
    case 'toggle':
      if (rule.property === 'is_enabled') return setEnabled(desk, el, !el.enabled)
      if (rule.property === 'is_visible') return show(desk, el, el.frame ? !el.frame.open : !el.visible)
      return setState(desk, el, valueOf(el) !== true)
    case 'show':
    case 'open':
      return show(desk, el, true)
    case 'hide':
    case 'close':
      return show(desk, el, false)
    case 'focus':
      return void setFocus(desk, el)
    case 'clear':
      if (el.text) return setState(desk, el, '')
      return [...el.children].forEach((child) => removeElement(desk, child))
    case 'remove':
      return removeElement(desk, el)
    case 'submit':
      return emit(desk, el, 'submit')
    case 'increment': {
      const number = (typeof el.value === 'number' ? el.value : Number(el.value) || 0) + rule.by
      if (!Number.isFinite(number)) return
      setState(desk, el, number)
      if (rule.format !== undefined) setLabel(desk, el, fill(desk, rule.format, number))
      return
    }
    case 'append':
      return append(desk, el, rule)
    default:
      rule satisfies never
  }
}

function append(desk: Desktop, el: Element, rule: Extract<Rule, { do: 'append' }>): void {
  if (rule.text !== undefined) {
    const text = fill(desk, rule.text)
    if (el.text) setState(desk, el, el.text.text + text)
    else setLabel(desk, el, (el.label ?? '') + text)
    return
  }
  if (desk.elements.size >= MAX_ELEMENTS) return
  const item = typeof rule.item === 'object' ? VirtualInputElementDescription.safeParse(rule.item).data : undefined
  const label = typeof rule.item === 'string' ? fill(desk, rule.item) : undefined
  if (item && !desk.byId.has(item.element_id)) buildElement(desk, item, el)
  else if (item) buildElement(desk, { ...item, element_id: freeId(desk, item.element_id), children: null }, el)
  else if (label !== undefined) {
    const type = el.kind === 'tree' || el.kind === 'treeitem' ? 'tree_item' : 'option'
    buildElement(desk, { element_id: freeId(desk, `${el.id}[${el.children.length}]`), element_type: type, label_text: label }, el)
  }
}

function freeId(desk: Desktop, wish: string): string {
  let id = wish
  for (let n = 2; desk.byId.has(id); n++) id = `${wish}-${n}`
  return id
}

function runCode(desk: Desktop, from: string, into: string | undefined): void {
  const editor = desk.byId.get(from)
  const output = into === undefined ? undefined : desk.byId.get(into)
  if (!editor) return
  const id = desk.nextRequest()
  const code = editor.text?.text ?? ''
  desk.requests.set(id, { code, into: output })
  if (output) setState(desk, output, 'Running…')
  desk.log.add({ type: 'host', request: { id, run: 'code', code } })
}

function setEnabled(desk: Desktop, el: Element, enabled: boolean): void {
  el.enabled = enabled
  if (!enabled && desk.focus && (desk.focus === el || el.children.length)) setFocus(desk, undefined)
  desk.touch(el)
  desk.relayout(el)
}

function show(desk: Desktop, el: Element, visible: boolean): void {
  if (!el.frame) return setShown(desk, el, visible)
  if (visible) openWindow(desk, el)
  else closeWindow(desk, el)
}

/** `{element_id}` stands for that element's value, `{}` for the counted number, `{{` for a brace. A password stays out. */
function fill(desk: Desktop, template: string, n?: number): string {
  return template.replaceAll(/\{\{|\}\}|\{([^{}]*)\}/g, (all, name: string | undefined) => {
    if (name === undefined) return all[0] ?? ''
    if (name === '') return n === undefined ? all : String(n)
    const el = desk.byId.get(name)
    if (!el) return all
    return isPassword(el) ? '' : asText(valueOf(el) ?? el.label)
  })
}

function holds(desk: Desktop, when: When): boolean {
  const el = desk.byId.get(when.element)
  const value = el ? valueOf(el) : null
  const facts =
    el !== undefined &&
    (when.value === undefined || value === when.value) &&
    (when.label_text === undefined || el.label === when.label_text) &&
    (when.is_checked === undefined || el.checked === when.is_checked) &&
    (when.is_enabled === undefined || el.enabled === when.is_enabled) &&
    (when.is_visible === undefined || (el.frame?.open ?? el.visible) === when.is_visible) &&
    (when.empty === undefined || (value === null || value === '' || value === undefined) === when.empty)
  return facts !== (when.not ?? false)
}

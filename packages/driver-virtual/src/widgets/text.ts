import { fieldBox } from '../boxes.ts'
import type { Desktop } from '../desktop.ts'
import {
  erase,
  insert,
  moveCaret,
  nextChar,
  nextWord,
  previousChar,
  previousWord,
  redo,
  selectedText,
  selectRange,
  selection,
  undo,
  wordAt,
  type TextState,
} from '../input/editing.ts'
import { LINE, textAdvance } from '../metrics.ts'
import { closest, isMultiline, isPassword, isReadOnly, type Element } from '../model/element.ts'
import { INSET, linesIn, settleText, shownText } from '../text-area.ts'
import { lineOf, offsetAt } from '../text-lines.ts'
import type { Stroke, Widget } from './widget.ts'

export const text: Widget = {
  face: (_desk, el) => ({
    value: shownText(el),
    states: { editable: !isReadOnly(el), ...(isPassword(el) && { password: true }), ...(isMultiline(el) && { multiline: true }) },
    actions: isReadOnly(el) ? [] : ['activate'],
  }),
  down(desk, el, { at, count, shift }) {
    const state = el.text
    if (!state) return false
    const to = offsetAtPoint(el, at)
    if (count === 2) selectRange(state, ...wordAt(state.text, to))
    else if (count >= 3) selectRange(state, 0, state.text.length)
    else moveCaret(state, to, shift)
    desk.touch(el)
    return true
  },
  drag(desk, el, at) {
    if (!el.text) return
    moveCaret(el.text, offsetAtPoint(el, at), true)
    desk.touch(el)
  },
  key(desk, el, stroke) {
    return el.text ? navigate(desk, el, el.text, stroke) || edit(desk, el, el.text, stroke) : false
  },
}

/** Types into the element, in place of what is selected. */
export function typeInto(desk: Desktop, el: Element, typed: string, asOne: boolean): void {
  const state = el.text
  if (!state || isReadOnly(el)) return
  const max = el.attributes.max_length
  let clean = isMultiline(el) ? typed.replaceAll(/\r\n?/g, '\n') : typed.replaceAll(/[\r\n]+/g, ' ')
  if (max !== undefined) {
    const room = max - [...state.text].length + [...selectedText(state)].length
    clean = [...clean].slice(0, Math.max(0, room)).join('')
  }
  if (clean === '') return
  insert(state, clean, !asOne)
  changed(desk, el)
}

function offsetAtPoint(el: Element, at: { x: number; y: number }): number {
  const box = fieldBox(el)
  const lines = settleText(el)
  const row = isMultiline(el) ? Math.floor((at.y - box.y - INSET.y + el.scroll.y) / LINE) : 0
  const line = lines[Math.max(0, Math.min(row, lines.length - 1))]
  return line ? offsetAt(el.text?.text ?? '', line, at.x - box.x - INSET.x) : 0
}

function navigate(desk: Desktop, el: Element, state: TextState, { key, shift, control }: Stroke): boolean {
  const { text: all, caret } = state
  const [from, to] = selection(state)
  const collapse = from !== to && !shift && !control
  let target: number | undefined
  if (key === 'ArrowLeft') target = collapse ? from : control ? previousWord(all, caret) : previousChar(all, caret)
  else if (key === 'ArrowRight') target = collapse ? to : control ? nextWord(all, caret) : nextChar(all, caret)
  else if ((key === 'Home' || key === 'End') && control) target = key === 'Home' ? 0 : all.length
  else if (key === 'Home' || key === 'End' || ((key === 'ArrowUp' || key === 'ArrowDown') && isMultiline(el)))
    target = vertical(el, all, caret, key)
  if (target === undefined) return false
  moveCaret(state, target, shift)
  el.followCaret = true
  desk.touch(el)
  return true
}

function vertical(el: Element, all: string, caret: number, key: string): number {
  const lines = linesIn(el)
  const at = lineOf(lines, caret)
  const line = lines[at] ?? { from: 0, to: all.length }
  if (key === 'Home') return line.from
  if (key === 'End') return line.to
  const other = lines[key === 'ArrowUp' ? at - 1 : at + 1]
  if (!other) return key === 'ArrowUp' ? 0 : all.length
  return offsetAt(all, other, textAdvance(all.slice(line.from, caret)))
}

function edit(desk: Desktop, el: Element, state: TextState, stroke: Stroke): boolean {
  const { key, control, shift, alt, char } = stroke
  if (control && !alt) return shortcut(desk, el, state, key.toLowerCase(), shift)
  if (alt) return false
  if (key === 'Enter') {
    if (isMultiline(el)) typeInto(desk, el, '\n', false)
    else submit(desk, el)
    return true
  }
  if (key === 'Backspace' || key === 'Delete')
    return (remove(desk, el, state, key === 'Delete' ? nextChar(state.text, state.caret) : previousChar(state.text, state.caret)), true)
  if (char === undefined) return false
  typeInto(desk, el, char, false)
  return true
}

function shortcut(desk: Desktop, el: Element, state: TextState, key: string, shift: boolean): boolean {
  const chosen = selectedText(state)
  switch (key) {
    case 'a':
      selectRange(state, 0, state.text.length)
      return (desk.touch(el), true)
    case 'c':
    case 'x':
    case 'insert':
      if (chosen && !isPassword(el)) desk.clipboard = chosen
      if (key === 'x' && chosen && !isPassword(el)) remove(desk, el, state, state.caret)
      return true
    case 'v':
      return (typeInto(desk, el, desk.clipboard, true), true)
    case 'z':
    case 'y': {
      if (isReadOnly(el)) return true
      const moved = key === 'y' || shift ? redo(state) : undo(state)
      if (moved) changed(desk, el)
      return true
    }
    case 'backspace':
      return (remove(desk, el, state, previousWord(state.text, state.caret)), true)
    case 'delete':
      return (remove(desk, el, state, nextWord(state.text, state.caret)), true)
    default:
      return false
  }
}

function remove(desk: Desktop, el: Element, state: TextState, to: number): void {
  if (isReadOnly(el)) return
  const before = state.text
  erase(state, to)
  if (state.text !== before) changed(desk, el)
}

/** Enter in a field submits the nearest thing around it that can be submitted. */
function submit(desk: Desktop, el: Element): void {
  const form = closest(el, (e) => e.attributes.on?.['submit'] !== undefined)
  if (form) desk.emit(form, 'submit')
}

function changed(desk: Desktop, el: Element): void {
  el.followCaret = true
  desk.touch(el)
  desk.emit(el, 'change')
}

/** A text with a caret and a selection, and how it came to be. Positions are UTF-16 offsets that never split a character. */
export interface TextState {
  text: string
  caret: number
  /** The other end of the selection; equal to the caret when nothing is selected. */
  anchor: number
  undo: Snapshot[]
  redo: Snapshot[]
  /** Whether the next typed character belongs to the same undo step. */
  typing: boolean
}

export interface Snapshot {
  text: string
  caret: number
  anchor: number
}

const MAX_UNDO = 500

export function newText(text: string): TextState {
  return { text, caret: text.length, anchor: text.length, undo: [], redo: [], typing: false }
}

export const selection = (t: Snapshot): [number, number] => (t.anchor < t.caret ? [t.anchor, t.caret] : [t.caret, t.anchor])
export const selectedText = (t: Snapshot): string => t.text.slice(...selection(t))

/** Puts `s` in place of the selection. */
export function insert(t: TextState, s: string, typed = false): void {
  const [from, to] = selection(t)
  if (s === '' && from === to) return
  if (!(typed && t.typing && from === to)) remember(t)
  t.redo.length = 0
  t.text = to === t.text.length ? (from === to ? t.text : t.text.slice(0, from)) + s : t.text.slice(0, from) + s + t.text.slice(to)
  t.caret = t.anchor = from + s.length
  t.typing = typed
}

/** Removes the selection, or what lies between the caret and `to`. */
export function erase(t: TextState, to: number): void {
  if (t.caret === t.anchor) {
    if (to === t.caret) return
    remember(t)
    t.redo.length = 0
    const [from, end] = to < t.caret ? [to, t.caret] : [t.caret, to]
    t.text = t.text.slice(0, from) + t.text.slice(end)
    t.caret = t.anchor = from
    t.typing = false
  } else insert(t, '')
}

export function replaceAll(t: TextState, text: string): void {
  if (text === t.text) return
  remember(t)
  t.redo.length = 0
  t.text = text
  t.caret = t.anchor = text.length
  t.typing = false
}

export function moveCaret(t: TextState, to: number, extend: boolean): void {
  t.caret = onBoundary(t.text, Math.min(Math.max(0, to), t.text.length))
  if (!extend) t.anchor = t.caret
  t.typing = false
}

export function selectRange(t: TextState, anchor: number, caret: number): void {
  moveCaret(t, anchor, false)
  moveCaret(t, caret, true)
}

export function undo(t: TextState): boolean {
  return travel(t, t.undo, t.redo)
}

export function redo(t: TextState): boolean {
  return travel(t, t.redo, t.undo)
}

let segmenter: Intl.Segmenter | undefined
/** Made when it is first used: it loads tables that most desktops never need. */
const graphemes = (text: string): Intl.Segments => (segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })).segment(text)
/** Long enough for the longest emoji sequences that people type. */
const NEAR = 64

export function nextChar(text: string, at: number): number {
  const [first] = graphemes(text.slice(at, at + NEAR))
  return first ? at + first.segment.length : at
}

export function previousChar(text: string, at: number): number {
  const start = onBoundary(text, Math.max(0, at - NEAR))
  let last = start
  for (const s of graphemes(text.slice(start, at))) last = start + s.index
  return last
}

const WORD = /[\p{L}\p{N}\p{M}_]/u
const isWord = (text: string, at: number): boolean => WORD.test(String.fromCodePoint(text.codePointAt(at) ?? 32))

/** The end of the word at or after `at`. */
export function nextWord(text: string, at: number): number {
  let i = at
  while (i < text.length && !isWord(text, i)) i = nextChar(text, i)
  while (i < text.length && isWord(text, i)) i = nextChar(text, i)
  return i
}

/** The start of the word at or before `at`. */
export function previousWord(text: string, at: number): number {
  let i = at
  while (i > 0 && !isWord(text, previousChar(text, i))) i = previousChar(text, i)
  while (i > 0 && isWord(text, previousChar(text, i))) i = previousChar(text, i)
  return i
}

/** The word around `at`, for a double click. */
export function wordAt(text: string, at: number): [number, number] {
  if (at < text.length && !isWord(text, at)) return [at, nextChar(text, at)]
  const end = nextWord(text, at)
  return [previousWord(text, end), end]
}

function remember(t: TextState): void {
  t.undo.push({ text: t.text, caret: t.caret, anchor: t.anchor })
  if (t.undo.length > MAX_UNDO) t.undo.shift()
}

function travel(t: TextState, from: Snapshot[], to: Snapshot[]): boolean {
  const state = from.pop()
  if (!state) return false
  to.push({ text: t.text, caret: t.caret, anchor: t.anchor })
  Object.assign(t, state, { typing: false })
  return true
}

function onBoundary(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return at > 0 && at < text.length && code >= 0xdc00 && code <= 0xdfff && isHigh(text.charCodeAt(at - 1)) ? at - 1 : at
}

const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

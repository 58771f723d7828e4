import { autocompletion, completeFromList, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { python } from '@codemirror/lang-python'
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import { toml } from '@codemirror/legacy-modes/mode/toml'
import { lintGutter, setDiagnostics, type Diagnostic } from '@codemirror/lint'
import { EditorState, StateEffect, StateField } from '@codemirror/state'
import { Decoration, EditorView, keymap, lineNumbers, type DecorationSet } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useLayoutEffect, useRef } from 'react'
import type { Problem } from '../api/client.ts'

interface EditorProps {
  label: string
  language: 'toml' | 'python'
  text: string
  problems?: readonly Problem[]
  /** Words that are offered while one is typed. */
  completions?: readonly string[]
  /** The line that is marked and kept in view. */
  line?: number | undefined
  onChange(text: string): void
}

const NONE: readonly never[] = []

/** The colours of the page, which reach into the shadow root. */
const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.heading, tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--ok)' },
  { tag: [tags.number, tags.bool, tags.atom], color: 'var(--warn)' },
  { tag: tags.comment, color: 'var(--dim)' },
])
const LOOK = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'transparent', fontSize: '13.5px' },
  '.cm-content': { fontFamily: 'var(--mono)', caretColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--faint)', border: 'none' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-running': { backgroundColor: 'var(--warn-soft)', boxShadow: 'inset 3px 0 0 var(--warn)' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--line-strong)' },
})

const markLine = StateEffect.define<number | undefined>()
const marked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(before, { effects, state }) {
    let shown = before
    for (const effect of effects)
      if (effect.is(markLine)) {
        const { value } = effect
        const isThere = value !== undefined && value >= 1 && value <= state.doc.lines
        shown = isThere ? Decoration.set(Decoration.line({ class: 'cm-running' }).range(state.doc.line(value).from)) : Decoration.none
      }
    return shown
  },
  provide: (field) => EditorView.decorations.from(field),
})

/** An editor. It lives in a shadow root, where its styles need no exception from the page's content policy. */
export function Editor({ label, language, text, problems = NONE, completions = NONE, line, onChange }: EditorProps) {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  /** What the editor has, as far as the page knows. */
  const known = useRef(text)
  const current = useRef({ text, completions, onChange })
  current.current = { text, completions, onChange }

  useEffect(() => {
    if (place.current === null) return
    const root = place.current.shadowRoot ?? place.current.attachShadow({ mode: 'open' })
    known.current = current.current.text
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: known.current,
        extensions: [
          lineNumbers(),
          history(),
          keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
          autocompletion({ override: [(typed) => completeFromList(current.current.completions)(typed)] }),
          syntaxHighlighting(COLOURS),
          LOOK,
          language === 'toml' ? StreamLanguage.define(toml) : python(),
          lintGutter(),
          marked,
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of(({ docChanged, state }) => {
            const now = docChanged ? state.doc.toString() : known.current
            if (now === known.current) return
            known.current = now
            current.current.onChange(now)
          }),
        ],
      }),
    })
    view.current = made
    return () => made.destroy()
  }, [label, language])

  // Another text than the one that was written here: a file was opened, or a draft dropped.
  useLayoutEffect(() => {
    const made = view.current
    if (made === undefined || text === known.current) return
    known.current = text
    made.dispatch({ changes: { from: 0, to: made.state.doc.length, insert: text } })
  }, [text])

  useEffect(() => {
    const made = view.current
    if (made === undefined) return
    const { doc } = made.state
    const diagnostics = problems.map((problem): Diagnostic => {
      const line = doc.line(Math.min(Math.max(problem.line, 1), doc.lines))
      return { from: line.from, to: line.to, severity: problem.severity, message: problem.message }
    })
    made.dispatch(setDiagnostics(made.state, diagnostics))
  }, [problems])

  useEffect(() => {
    const made = view.current
    if (made === undefined) return
    const isThere = line !== undefined && line >= 1 && line <= made.state.doc.lines
    const scroll = isThere ? [EditorView.scrollIntoView(made.state.doc.line(line).from)] : []
    made.dispatch({ effects: [markLine.of(line), ...scroll] })
  }, [line])

  return <div ref={place} className="editor" />
}

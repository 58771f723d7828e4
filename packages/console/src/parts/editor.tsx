import { autocompletion, completeFromList, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { python } from '@codemirror/lang-python'
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import { toml } from '@codemirror/legacy-modes/mode/toml'
import { lintGutter, setDiagnostics, type Diagnostic } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'
import type { Problem } from '../api/client.ts'

interface EditorProps {
  label: string
  language: 'toml' | 'python'
  initial: string
  problems?: readonly Problem[]
  /** Words that are offered while one is typed. */
  completions?: readonly string[]
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
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--line-strong)' },
})

/** An editor. It lives in a shadow root, where its styles need no exception from the page's content policy. */
export function Editor({ label, language, initial, problems = NONE, completions = NONE, onChange }: EditorProps) {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const changed = useRef(onChange)
  changed.current = onChange

  useEffect(() => {
    if (place.current === null) return
    const root = place.current.shadowRoot ?? place.current.attachShadow({ mode: 'open' })
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: initial,
        extensions: [
          lineNumbers(),
          history(),
          keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
          autocompletion({ override: [completeFromList(completions.map((label) => ({ label })))] }),
          syntaxHighlighting(COLOURS),
          LOOK,
          language === 'toml' ? StreamLanguage.define(toml) : python(),
          lintGutter(),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => update.docChanged && changed.current(update.state.doc.toString())),
        ],
      }),
    })
    view.current = made
    return () => made.destroy()
  }, [completions, initial, label, language])

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

  return <div ref={place} className="editor" />
}

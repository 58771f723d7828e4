import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { python } from '@codemirror/lang-python'
import { defaultHighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import { toml } from '@codemirror/legacy-modes/mode/toml'
import { lintGutter, setDiagnostics, type Diagnostic } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import type { Problem } from '../api/client.ts'

interface EditorProps {
  label: string
  language: 'toml' | 'python'
  initial: string
  problems?: readonly Problem[]
  onChange(text: string): void
}

/** An editor. It lives in a shadow root, where its styles need no exception from the page's content policy. */
export function Editor({ label, language, initial, problems = [], onChange }: EditorProps) {
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
          keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
          syntaxHighlighting(defaultHighlightStyle),
          language === 'toml' ? StreamLanguage.define(toml) : python(),
          lintGutter(),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => update.docChanged && changed.current(update.state.doc.toString())),
        ],
      }),
    })
    view.current = made
    return () => made.destroy()
  }, [initial, label, language])

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

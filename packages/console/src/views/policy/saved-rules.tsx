import type { SavedRules } from '@deskhand/core/model'
import { lazy, Suspense, useEffect, useState } from 'react'
import type { Problem, Trial } from '../../api/client.ts'
import { useAct, useConsole } from '../../parts/context.ts'
import { Button } from '../../parts/parts.tsx'
import { TEXT } from '../../text.ts'
import { Differences } from './differences.tsx'

const Editor = lazy(async () => ({ default: (await import('../../parts/editor.tsx')).Editor }))

/** The keys and words of a policy file. */
const WORDS = [
  ...['toolName', 'decision', 'priority', 'name', 'modes', 'denyMessage', 'expires', 'rateLimit', 'argsPattern', 'after'],
  ...['app', 'process', 'window', 'role', 'url', 'state', 'source', 'confidence', 'risk', 'driver', 'text', 'tainted', 'desktop'],
  ...['allow', 'deny', 'ask_user', 'redact', 'screenshot', 'verify', 'evidence', '[[rule]]', '[rule.when]'],
]
const CHECK_MS = 400

/** The rules that operators write here. They are checked as they are typed, and compared with the record before they can be saved. */
export function SavedRulesEditor({ onSaved }: { onSaved(): void }) {
  const { store } = useConsole()
  const [saved, setSaved] = useState<SavedRules>()
  const [text, setText] = useState('')
  const [problems, setProblems] = useState<readonly Problem[]>([])
  const [trial, setTrial] = useState<{ of: string; rows: readonly Trial[] }>()
  const act = useAct()

  useEffect(
    () =>
      act(async () => {
        const found = await store.api.savedRules()
        setSaved(found)
        setText(found.text)
      }),
    [act, store],
  )
  useEffect(() => {
    if (text === '') return setProblems([])
    const timer = setTimeout(() => act(async () => setProblems(await store.api.checkPolicy(text))), CHECK_MS)
    return () => clearTimeout(timer)
  }, [act, store, text])

  if (saved === undefined) return null
  const isCompared = trial?.of === text
  const isWrong = problems.some(({ severity }) => severity === 'error')
  const save = (): void =>
    act(async () => {
      setSaved(await store.api.saveRules(text, saved.version))
      setTrial(undefined)
      onSaved()
    })
  return (
    <section className="panel padded rows" aria-label={TEXT.policy.draft}>
      <h2>{TEXT.policy.draft}</h2>
      <small>
        {TEXT.policy.draftHint} {saved.file !== undefined && <code>{saved.file}</code>}
      </small>
      <Suspense fallback={<div className="editor" />}>
        <Editor label={TEXT.policy.draft} language="toml" initial={saved.text} problems={problems} completions={WORDS} onChange={setText} />
      </Suspense>
      {problems.map((problem, i) => (
        <p key={i} className={`banner ${problem.severity === 'error' ? 'bad' : 'warn'}`}>
          {TEXT.policy.atLine(problem.line)}: {problem.message}
        </p>
      ))}
      <div className="acts">
        <Button
          disabled={isWrong}
          onClick={() => act(async () => setTrial({ of: text, rows: (await store.api.tryPolicy(text)).filter((row) => row.differs) }))}
        >
          {TEXT.policy.whatIf}
        </Button>
        <Button look="primary" disabled={!isCompared || isWrong || saved.file === undefined} onClick={save}>
          {TEXT.policy.save}
        </Button>
        {!isCompared && text !== saved.text && <small>{TEXT.policy.compareFirst}</small>}
      </div>
      {isCompared && <Differences trial={trial.rows} />}
    </section>
  )
}

import type { SavedRules } from '@deskhand/core/model'
import { lazy, Suspense, useCallback, useEffect, useState } from 'react'
import type { Problem, Trial } from '../../api/client.ts'
import { useAct, useConsole } from '../../parts/context.ts'
import { Button } from '../../parts/parts.tsx'
import { Read, useReading } from '../../parts/reading.tsx'
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
  const { api, store } = useConsole()
  const read = useCallback(async () => {
    const [saved, tools] = await Promise.all([store.api.savedRules(), api.tools()])
    return { saved, words: [...WORDS, ...tools.map(({ name }) => name)] }
  }, [api, store])
  const found = useReading(read)
  return (
    <section className="panel padded rows" aria-label={TEXT.policy.draft}>
      <h2>{TEXT.policy.draft}</h2>
      <Read of={found}>{({ saved, words }) => <Draft initial={saved} words={words} onSaved={onSaved} />}</Read>
    </section>
  )
}

function Draft({ initial, words, onSaved }: { initial: SavedRules; words: readonly string[]; onSaved(): void }) {
  const { store } = useConsole()
  const [saved, setSaved] = useState(initial)
  const [text, setText] = useState(initial.text)
  const [problems, setProblems] = useState<readonly Problem[]>([])
  const [trial, setTrial] = useState<{ of: string; rows: readonly Trial[] }>()
  const act = useAct()

  useEffect(() => {
    if (text === '') return setProblems([])
    const timer = setTimeout(() => act(async () => setProblems(await store.api.checkPolicy(text))), CHECK_MS)
    return () => clearTimeout(timer)
  }, [act, store, text])

  const isCompared = trial?.of === text
  const isWrong = problems.some(({ severity }) => severity === 'error')
  const save = (): void =>
    act(async () => {
      setSaved(await store.api.saveRules(text, saved.version))
      setTrial(undefined)
      onSaved()
    })
  return (
    <>
      <small>
        {TEXT.policy.draftHint} {saved.file !== undefined && <code>{saved.file}</code>}
      </small>
      <Suspense fallback={<div className="editor" />}>
        <Editor
          label={TEXT.policy.draft}
          language="toml"
          initial={initial.text}
          problems={problems}
          completions={words}
          onChange={setText}
        />
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
    </>
  )
}

import type { SavedRules } from '@deskhand/core/model'
import { Suspense, useCallback, useEffect, useState } from 'react'
import type { Problem } from '../../api/client.ts'
import { useAct, useConsole, useDesktop, useDraft } from '../../parts/context.ts'
import { Coming, later } from '../../parts/later.tsx'
import { Button } from '../../parts/parts.tsx'
import { Read, useReading } from '../../parts/reading.tsx'
import { TEXT } from '../../text.ts'
import { useComparison } from './comparison.ts'
import { Differences } from './differences.tsx'

const Editor = later(async () => (await import('../../parts/editor.tsx')).Editor)

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
  const found = useReading(read, useDesktop().decided)
  return (
    <section className="panel padded rows" aria-label={TEXT.policy.draft}>
      <h2>{TEXT.policy.draft}</h2>
      <Read of={found}>{({ saved, words }) => <Draft read={saved} words={words} again={found.again} onSaved={onSaved} />}</Read>
    </section>
  )
}

interface DraftProps {
  /** The saved rules as they were read last. */
  read: SavedRules
  words: readonly string[]
  again(): void
  onSaved(): void
}

function Draft({ read, words, again, onSaved }: DraftProps) {
  const { store } = useConsole()
  const [saved, setSaved] = useState(read)
  useEffect(() => setSaved(read), [read])
  const [draft, keep] = useDraft('rules')
  const text = draft?.text ?? saved.text
  const [problems, setProblems] = useState<readonly Problem[]>([])
  const { found, compare, goOn } = useComparison()
  const act = useAct()

  useEffect(() => {
    if (text === '') return setProblems([])
    const timer = setTimeout(() => act(async () => setProblems(await store.api.checkPolicy(text))), CHECK_MS)
    return () => clearTimeout(timer)
  }, [act, store, text])

  const isCompared = found?.of === text
  const isWrong = problems.some(({ severity }) => severity === 'error')
  const save = (): void =>
    act(async () => {
      try {
        setSaved(await store.api.saveRules(text, saved.version))
        keep()
        onSaved()
      } catch (thrown) {
        again()
        throw thrown
      }
    })
  return (
    <>
      <small>
        {TEXT.policy.draftHint} {saved.file !== undefined && <code>{saved.file}</code>}
      </small>
      <Suspense
        fallback={
          <div className="editor">
            <Coming />
          </div>
        }
      >
        <Editor
          label={TEXT.policy.draft}
          language="toml"
          text={text}
          problems={problems}
          completions={words}
          onChange={(now) => keep(now === saved.text ? undefined : { text: now, upon: draft?.upon ?? saved.text })}
        />
      </Suspense>
      {draft !== undefined && draft.upon !== saved.text && <p className="banner warn">{TEXT.policy.savedMeanwhile}</p>}
      {problems.map((problem, i) => (
        <p key={i} className={`banner ${problem.severity === 'error' ? 'bad' : 'warn'}`}>
          {TEXT.policy.atLine(problem.line)}: {problem.message}
        </p>
      ))}
      <div className="acts">
        <Button disabled={isWrong} onClick={() => act(() => compare(text))}>
          {TEXT.policy.whatIf}
        </Button>
        <Button look="primary" disabled={!isCompared || isWrong || saved.file === undefined} onClick={save}>
          {TEXT.policy.save}
        </Button>
        {draft !== undefined && <Button onClick={() => keep()}>{TEXT.policy.dropDraft}</Button>}
        {!isCompared && text !== saved.text && <small>{TEXT.policy.compareFirst}</small>}
      </div>
      {isCompared && <Differences comparison={found} goOn={goOn} />}
    </>
  )
}

import type { Rect } from '@deskhand/core/model'
import { ListChecks } from 'lucide-react'
import { Suspense, useCallback, useRef, useState, type ChangeEvent } from 'react'
import { ApiError, type Problem } from '../../api/client.ts'
import { useAct, useConsole, useDesktop, useDraft } from '../../parts/context.ts'
import { Coming, later } from '../../parts/later.tsx'
import { Button, Chip, Empty } from '../../parts/parts.tsx'
import { useReading } from '../../parts/reading.tsx'
import type { DraftKinds } from '../../state/drafts.ts'
import { TEXT } from '../../text.ts'
import { ScriptSteps } from './script-steps.tsx'

const Editor = later(async () => (await import('../../parts/editor.tsx')).Editor)

const NOTHING: DraftKinds['script'] = { code: '', language: 'script', isWriting: false }

/** A script: rehearsed against the desktop as it is, then run, each of its calls governed. */
export function ScriptsView() {
  const { store, api } = useConsole()
  const { info } = useDesktop()
  const [written, keep] = useDraft('script')
  const example = useExample()
  const draft = written ?? { ...NOTHING, code: example }
  const [run, setRun] = useDraft('run')
  const { code, language, isWriting } = draft
  const since = run !== undefined && 'since' in run ? run.since : undefined
  const result = run !== undefined && 'result' in run ? run.result : undefined
  const isEarlier = run !== undefined && 'of' in run && run.of !== code
  const isRehearsal = run !== undefined && 'isRehearsal' in run && run.isRehearsal
  const [checked, setChecked] = useState<{ of: string; language: string; problems: readonly Problem[] }>()
  const problems = checked?.of === code && checked.language === language ? checked.problems : undefined
  const file = useRef<HTMLInputElement>(null)
  const line = useRunningLine(since)
  const act = useAct()
  const isRunning = since !== undefined
  const may = api.mayOperate && !isRunning

  const call = (rehearse: boolean) => () => {
    setRun({ since: store.get().rows.list[0]?.seq ?? 0 })
    act(async () => {
      try {
        const how = { ...(rehearse && { rehearse }), ...(isWriting && { toTools: true }) }
        const done = await (language === 'script'
          ? store.api.call('script.run', { script: code, ...how })
          : store.api.call('python.run', { code }, { dryRun: rehearse }))
        setRun({ result: done, of: code, isRehearsal: rehearse })
      } catch (thrown) {
        const failed = thrown instanceof ApiError ? thrown.result : undefined
        setRun(failed && { result: failed, of: code, isRehearsal: rehearse })
        if (failed === undefined) throw thrown
      }
    })
  }
  const check = (): void =>
    act(async () => {
      const found = await store.api.checkScript(code, language === 'script' ? 'pyautogui' : 'python')
      setChecked({ of: code, language, problems: found.map((problem) => ({ ...problem, severity: 'error' })) })
    })
  const opened = (event: ChangeEvent<HTMLInputElement>): void => {
    const chosen = event.target.files?.[0]
    if (chosen === undefined) return
    act(async () => keep({ ...draft, code: await chosen.text() }))
  }

  return (
    <main className="page">
      <header>
        <h1>{TEXT.views.scripts}</h1>
        <select
          className="select"
          aria-label={TEXT.scripts.language}
          value={language}
          onChange={(event) => keep({ ...draft, language: event.target.value === 'python' ? 'python' : 'script' })}
        >
          <option value="script">{TEXT.scripts.script}</option>
          <option value="python">{TEXT.scripts.python}</option>
        </select>
        <input ref={file} type="file" accept=".py,text/x-python" hidden onChange={opened} />
        <Button onClick={() => file.current?.click()}>{TEXT.scripts.open}</Button>
        {language === 'script' && (
          <label className="acts">
            <input type="checkbox" checked={isWriting} onChange={(event) => keep({ ...draft, isWriting: event.target.checked })} />
            {TEXT.scripts.toTools}
          </label>
        )}
        <span className="grow" />
        {isRunning && (
          <span role="status">
            <Chip look="warn">{info?.paused === true ? TEXT.scripts.pausedAt(line) : TEXT.scripts.running(line)}</Chip>
          </span>
        )}
        <Button onClick={check} disabled={!api.mayOperate}>
          {TEXT.scripts.check}
        </Button>
        <Button onClick={call(true)} disabled={!may}>
          {TEXT.scripts.rehearse}
        </Button>
        <Button look="primary" onClick={call(false)} disabled={!may}>
          {TEXT.scripts.run}
        </Button>
      </header>
      <div className="rows">
        <small>{TEXT.scripts.hint}</small>
        <Suspense
          fallback={
            <div className="editor">
              <Coming />
            </div>
          }
        >
          <Editor
            label={TEXT.views.scripts}
            language="python"
            text={code}
            problems={problems}
            line={line}
            onChange={(text) => keep({ ...draft, code: text })}
          />
        </Suspense>
        <div role="status">
          {problems?.length === 0 && <p className="banner info">{TEXT.scripts.nothingWrong[language]}</p>}
          {problems?.map(({ line, message }) => (
            <p key={line} className="banner bad">
              {message}
            </p>
          ))}
        </div>
        <section aria-live="polite" aria-busy={isRunning}>
          {result === undefined ? (
            !isRunning && <Empty icon={<ListChecks size={26} aria-hidden="true" />} title={TEXT.scripts.nothing} />
          ) : (
            <div className="rows">
              <h2>{TEXT.scripts.results[isRehearsal ? 'rehearsal' : 'run'](isEarlier)}</h2>
              <ScriptSteps result={result} />
            </div>
          )}
        </section>
      </div>
    </main>
  )
}

/** A script that does something on this desktop: it writes into the first text field that is in view, wherever that is. */
function useExample(): string {
  const { store } = useConsole()
  const read = useCallback(async () => {
    const { data } = await store.api.call('ui.query', { selector: 'role=textbox && visible=true', limit: 1, timeoutMs: 0 })
    const { matches = [] } = data as { matches?: readonly { bounds?: Rect }[] }
    return matches[0]?.bounds ?? null
  }, [store])
  const { value: field, problem } = useReading(read)
  if (field === undefined && problem === '') return ''
  if (field === undefined || field === null) return exampleOf('')
  return exampleOf(
    `pyautogui.click(${Math.round(field.x + field.w / 2)}, ${Math.round(field.y + field.h / 2)})\npyautogui.write("Ada Lovelace")\n`,
  )
}

const exampleOf = (lines: string): string => `import pyautogui\n\n${lines}pyautogui.press("tab")\n`

/** The line of the newest call that this person's script made after an entry of the record. */
function useRunningLine(since: number | undefined): number | undefined {
  const { api } = useConsole()
  const { rows } = useDesktop()
  if (since === undefined) return undefined
  for (const row of rows.list) {
    if (row.seq <= since) return undefined
    if (row.row === 'step' && row.decided.origin !== undefined && row.decided.principal.id === api.session.who.id)
      return row.decided.origin.line
  }
  return undefined
}

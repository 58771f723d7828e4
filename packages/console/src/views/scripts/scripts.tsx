import type { Result } from '@deskhand/core/model'
import { lazy, Suspense, useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { useAct, useConsole } from '../../parts/context.ts'
import { Button, Empty } from '../../parts/parts.tsx'
import { TEXT } from '../../text.ts'

const Editor = lazy(async () => ({ default: (await import('../../parts/editor.tsx')).Editor }))

const EXAMPLE = `import pyautogui

pyautogui.click(268, 248)
pyautogui.write("Ada Lovelace")
pyautogui.press("tab")
`

/** A script: rehearsed against the desktop as it is, then run, each of its calls governed. */
export function ScriptsView() {
  const { store, api } = useConsole()
  const [code, setCode] = useState(EXAMPLE)
  const [language, setLanguage] = useState<'script' | 'python'>('script')
  const [result, setResult] = useState<Result>()
  const [isRunning, setRunning] = useState(false)
  const act = useAct()
  const call = (dryRun: boolean) => () => {
    setRunning(true)
    act(async () => {
      try {
        const [tool, args] = language === 'script' ? (['script.run', { script: code }] as const) : (['python.run', { code }] as const)
        setResult(
          await store.api.call(tool, dryRun && language === 'script' ? { ...args, rehearse: true } : args, {
            dryRun: dryRun && language === 'python',
          }),
        )
      } catch (thrown) {
        if (!(thrown instanceof ApiError) || thrown.result === undefined) throw thrown
        setResult(thrown.result)
      } finally {
        setRunning(false)
      }
    })
  }
  return (
    <main className="page">
      <header>
        <h1>{TEXT.views.scripts}</h1>
        <select
          className="select"
          aria-label="Language"
          value={language}
          onChange={(event) => setLanguage(event.target.value as 'script' | 'python')}
        >
          <option value="script">{TEXT.scripts.script}</option>
          <option value="python">{TEXT.scripts.python}</option>
        </select>
        <span className="grow" />
        <Button onClick={call(true)} disabled={isRunning || !api.mayOperate}>
          {TEXT.scripts.rehearse}
        </Button>
        <Button look="primary" onClick={call(false)} disabled={isRunning || !api.mayOperate}>
          {TEXT.scripts.run}
        </Button>
      </header>
      <div className="rows">
        <small>{TEXT.scripts.hint}</small>
        <Suspense fallback={<div className="editor" />}>
          <Editor label={TEXT.views.scripts} language="python" initial={EXAMPLE} onChange={setCode} />
        </Suspense>
        <section aria-live="polite" aria-busy={isRunning}>
          {result === undefined ? (
            <Empty title={TEXT.scripts.nothing} />
          ) : (
            <>
              <h2>{TEXT.scripts.result}</h2>
              <pre>{result.text ?? result.error?.message ?? JSON.stringify(result.data, null, 2)}</pre>
            </>
          )}
        </section>
      </div>
    </main>
  )
}

import type { Check, SettingsInForce } from '@deskhand/core/model'
import { PYTHON_TIMEOUT } from '@deskhand/core/model/python-timeout'
import { useState } from 'react'
import { useAct, useConsole } from '../../parts/context.ts'
import { Button } from '../../parts/parts.tsx'
import { Read, type Reading } from '../../parts/reading.tsx'
import { TEXT } from '../../text.ts'
import { Facts } from './facts.tsx'

/** Which Python runs what agents send, and how long it may. */
export function Python({ settings, checks }: { settings: Reading<SettingsInForce>; checks: Reading<Check[]> }) {
  const { store } = useConsole()
  const [changed, setChanged] = useState<number>()
  const act = useAct()
  const change = (timeout: number): void =>
    act(async () => {
      setChanged(undefined)
      await store.api.setPythonTimeout(timeout)
      setChanged(timeout)
      settings.again()
    })
  return (
    <section className="panel padded rows" aria-label={TEXT.settings.python}>
      <h2>{TEXT.settings.python}</h2>
      <Read of={settings}>
        {({ python: { timeout, ...said } }) => (
          <>
            <Facts part="python" said={{ version: versionOf(said.engine, checks), ...said }} />
            <Timeout key={timeout} now={timeout} change={change} />
          </>
        )}
      </Read>
      {changed !== undefined && <p role="status">{TEXT.settings.timeoutChanged(changed)}</p>}
      <small>{TEXT.settings.timeoutHint}</small>
    </section>
  )
}

function Timeout({ now, change }: { now: number; change(seconds: number): void }) {
  const [seconds, setSeconds] = useState(String(now))
  return (
    <form
      className="acts"
      onSubmit={(event) => {
        event.preventDefault()
        change(Number(seconds))
      }}
    >
      <label className="acts">
        {TEXT.settings.timeout}
        <input
          className="field"
          type="number"
          required
          min={PYTHON_TIMEOUT.min}
          max={PYTHON_TIMEOUT.max}
          step="any"
          value={seconds}
          onChange={(event) => setSeconds(event.target.value)}
        />
        {TEXT.settings.seconds}
      </label>
      <Button type="submit">{TEXT.settings.changeTimeout}</Button>
    </form>
  )
}

/** The version as the machine was found to have it, or why it has none. */
const versionOf = (engine: string, { value, problem }: Reading<Check[]>): string =>
  value?.find(({ what }) => what === `python (${engine})`)?.detail ?? (problem === '' ? TEXT.loading : problem)

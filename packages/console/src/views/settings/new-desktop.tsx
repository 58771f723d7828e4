import type { PolicyInForce } from '@deskhand/core/model'
import { useState } from 'react'
import type { Api } from '../../api/client.ts'
import { Button } from '../../parts/parts.tsx'
import { wordsOf } from '../../parts/context.ts'
import { TEXT } from '../../text.ts'

const KINDS = ['sandbox', 'virtual', 'host']

interface NewDesktopProps {
  api: Api
  refresh(): Promise<void>
  presets?: PolicyInForce['presets'] | undefined
}

/** Starts a desktop. */
export function NewDesktop({ api, refresh, presets = [] }: NewDesktopProps) {
  const [name, setName] = useState('')
  const [kind, setKind] = useState('sandbox')
  const [preset, setPreset] = useState('')
  const [isStarting, setStarting] = useState(false)
  const [problem, setProblem] = useState('')
  const start = async (): Promise<void> => {
    setStarting(true)
    setProblem('')
    try {
      await api.bringUp({ name, kind, ...(preset !== '' && { preset }) })
      setName('')
      await refresh()
    } catch (thrown) {
      setProblem(wordsOf(thrown))
    } finally {
      setStarting(false)
    }
  }
  return (
    <form
      className="acts"
      onSubmit={(event) => {
        event.preventDefault()
        void start()
      }}
    >
      <input
        className="field wide"
        required
        aria-label={TEXT.settings.name}
        placeholder={TEXT.settings.name}
        value={name}
        onChange={(e) => setName(e.target.value)}
      />
      <select className="select" aria-label={TEXT.settings.kind} value={kind} onChange={(e) => setKind(e.target.value)}>
        {KINDS.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
      {presets.length > 0 && (
        <select className="select" aria-label={TEXT.settings.preset} value={preset} onChange={(e) => setPreset(e.target.value)}>
          <option value="">{TEXT.settings.usualPreset}</option>
          {presets.map((one) => (
            <option key={one.name} value={one.name} title={one.about}>
              {one.name}
            </option>
          ))}
        </select>
      )}
      <Button type="submit" look="primary" disabled={isStarting} aria-busy={isStarting}>
        {isStarting ? TEXT.settings.starting : TEXT.settings.bringUp}
      </Button>
      {problem !== '' && (
        <p className="banner bad" role="alert">
          {problem}
        </p>
      )}
    </form>
  )
}

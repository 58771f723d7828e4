import { Check, Minus } from 'lucide-react'
import { useState } from 'react'
import { useAct, useConsole, useDesktop } from '../../parts/context.ts'
import { Button, Chip } from '../../parts/parts.tsx'
import { TEXT } from '../../text.ts'
import { Attention } from './attention.tsx'
import { Clients } from './clients.tsx'
import { Doctor } from './doctor.tsx'
import { InForce } from './in-force.tsx'
import { Look } from './look.tsx'

const KINDS = ['virtual', 'sandbox', 'host']

/** The desktops, what each can do, and how this console and the server are set up. */
export function SettingsView() {
  return (
    <main className="page">
      <header>
        <h1>{TEXT.views.settings}</h1>
      </header>
      <div className="masonry">
        <Desktops />
        <Clients />
        <Doctor />
        <Capabilities />
        <Look />
        <Attention />
        <InForce />
      </div>
    </main>
  )
}

function Desktops() {
  const { api, desktops, refresh } = useConsole()
  const [name, setName] = useState('')
  const [kind, setKind] = useState('sandbox')
  const act = useAct()
  return (
    <section className="panel padded rows">
      <h2>{TEXT.settings.desktops}</h2>
      {desktops.map((desktop) => (
        <div key={desktop.name} className="acts">
          <p className="wide">
            <strong>{desktop.name}</strong> <Chip look="plain">{desktop.kind}</Chip>
          </p>
          {api.mayOperate && (
            <Button
              onClick={() =>
                act(async () => {
                  await api.on(desktop.name).down()
                  await refresh()
                })
              }
            >
              {TEXT.settings.takeDown}
            </Button>
          )}
        </div>
      ))}
      {api.mayOperate && (
        <form
          className="acts"
          onSubmit={(event) => {
            event.preventDefault()
            act(async () => {
              await api.bringUp({ name, kind })
              setName('')
              await refresh()
            })
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
          <Button type="submit" look="primary">
            {TEXT.settings.bringUp}
          </Button>
        </form>
      )}
    </section>
  )
}

function Capabilities() {
  const { info } = useDesktop()
  return (
    <section className="panel padded rows">
      <h2>{TEXT.settings.can}</h2>
      <ul className="plain-list">
        {Object.entries(info?.can ?? {}).map(([name, cap]) => (
          <li key={name}>
            {cap.ok ? <Check size={15} aria-label="yes" /> : <Minus size={15} aria-label={TEXT.settings.missing} />} {name}
            {!cap.ok && (
              <small>
                {cap.reason} {cap.fix !== undefined && <code>{cap.fix}</code>}
              </small>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

import { Check, Minus } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useAct, useConsole, useDesktop } from '../../parts/context.ts'
import { Button, Chip } from '../../parts/parts.tsx'
import { applyTheme, themeChoice, type ThemeChoice } from '../../state/theme.ts'
import { TEXT } from '../../text.ts'

const KINDS = ['virtual', 'sandbox', 'host']

/** The desktops, what each can do, and how this console and the server are set up. */
export function SettingsView() {
  return (
    <main className="page">
      <header>
        <h1>{TEXT.views.settings}</h1>
      </header>
      <div className="columns">
        <Desktops />
        <Capabilities />
        <Clients />
        <Look />
        <Configuration />
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

function Clients() {
  const { store } = useConsole()
  const snippet = JSON.stringify({ mcpServers: { deskhand: { command: 'deskhand', args: ['--name', store.api.name, 'mcp'] } } }, null, 2)
  return (
    <section className="panel padded rows">
      <h2>{TEXT.settings.clients}</h2>
      <small>{TEXT.settings.clientsHint}</small>
      <pre>{snippet}</pre>
    </section>
  )
}

function Look() {
  const { api } = useConsole()
  const [choice, setChoice] = useState(themeChoice)
  const choose = (theme: ThemeChoice): void => {
    applyTheme(theme)
    setChoice(theme)
  }
  return (
    <section className="panel padded rows">
      <h2>{TEXT.settings.theme}</h2>
      <select className="select" aria-label={TEXT.settings.theme} value={choice} onChange={(e) => choose(e.target.value as ThemeChoice)}>
        <option value="system">as the system</option>
        <option value="light">light</option>
        <option value="dark">dark</option>
      </select>
      <small>
        {TEXT.settings.you}: {api.session.who.id} ({api.session.who.role}), Deskhand {api.session.version}
      </small>
    </section>
  )
}

function Configuration() {
  const { store, api } = useConsole()
  const [settings, setSettings] = useState<Record<string, unknown>>()
  const act = useAct()
  useEffect(() => {
    if (api.mayOperate) act(async () => setSettings(await store.api.settings()))
  }, [act, api, store])
  if (settings === undefined) return null
  return (
    <section className="panel padded rows">
      <h2>{TEXT.settings.configuration}</h2>
      <pre>{JSON.stringify(settings, null, 2)}</pre>
    </section>
  )
}

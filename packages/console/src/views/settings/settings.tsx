import { Check, Minus } from 'lucide-react'
import { useConsole, useDesktop, useUnread } from '../../parts/context.ts'
import { useReading } from '../../parts/reading.tsx'
import { TEXT } from '../../text.ts'
import { Attention } from './attention.tsx'
import { Clients } from './clients.tsx'
import { Desktops } from './desktops.tsx'
import { Doctor } from './doctor.tsx'
import { InForce } from './in-force.tsx'
import { Look } from './look.tsx'
import { Python } from './python.tsx'

/** The desktops, what each can do, and how this console and the server are set up. */
export function SettingsView() {
  const { api } = useConsole()
  return (
    <main className="page">
      <header>
        <h1>{TEXT.views.settings}</h1>
      </header>
      <div className="masonry">
        <Desktops />
        {api.mayOperate && <ForOperators />}
        <Capabilities />
        <Look />
        <Attention />
      </div>
    </main>
  )
}

function ForOperators() {
  const { store } = useConsole()
  const checks = useReading(store.api.doctor)
  const settings = useReading(store.api.settings)
  return (
    <>
      <Clients />
      <Doctor checks={checks} />
      <Python settings={settings} checks={checks} />
      <InForce settings={settings} />
    </>
  )
}

function Capabilities() {
  const { info } = useDesktop()
  const unread = useUnread()
  return (
    <section className="panel padded rows">
      <h2>{TEXT.settings.can}</h2>
      {info === undefined && <p className="loading">{unread}</p>}
      <ul className="plain-list in-columns">
        {Object.entries(info?.can ?? {}).map(([name, cap]) => (
          <li key={name} className={cap.ok ? undefined : 'whole'} title={name}>
            {cap.ok ? <Check size={15} aria-label={TEXT.settings.yes} /> : <Minus size={15} aria-label={TEXT.settings.missing} />}{' '}
            {TEXT.settings.caps[name] ?? name}
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

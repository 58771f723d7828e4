import type { SettingsInForce } from '@deskhand/core/model'
import { Read, type Reading } from '../../parts/reading.tsx'
import { TEXT } from '../../text.ts'

/** The parts of the configuration that people ask for, each with its heading. */
const PARTS = ['avis', 'privacy', 'journal', 'evidence'] as const

/** What the configuration says, as words; the whole of it below. */
export function InForce({ settings }: { settings: Reading<SettingsInForce> }) {
  return (
    <section className="panel padded rows" aria-label={TEXT.settings.configuration}>
      <h2>{TEXT.settings.configuration}</h2>
      <small>{TEXT.settings.configurationHint}</small>
      <Read of={settings}>
        {(known) => (
          <>
            {PARTS.map((part) => (
              <div key={part}>
                <h3>{TEXT.settings.parts[part]}</h3>
                <Facts part={part} said={known[part]} />
              </div>
            ))}
            <details>
              <summary>{TEXT.settings.whole}</summary>
              <pre>{JSON.stringify(known, null, 2)}</pre>
            </details>
          </>
        )}
      </Read>
    </section>
  )
}

/** What is said of a part of the configuration, in the words of the console. */
export function Facts({ part, said }: { part: string; said: unknown }) {
  return (
    <dl className="facts">
      {factsOf(part, said).map(([name, value]) => (
        <Fact key={name} name={TEXT.settings.names[`${part}.${name}`] ?? name} value={value} />
      ))}
    </dl>
  )
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  )
}

/** What the configuration says of a part, and what holds where it says nothing. */
function factsOf(part: string, said: unknown): [name: string, value: string][] {
  const usual = Object.entries(TEXT.settings.usual)
    .filter(([name]) => name.startsWith(`${part}.`))
    .map(([name, words]) => [name.slice(part.length + 1), words])
  const told = typeof said === 'object' && said !== null ? Object.entries(said).map(([name, value]) => [name, wordsOf(value)]) : []
  return Object.entries({ ...Object.fromEntries(usual), ...Object.fromEntries(told) } as Record<string, string>)
}

function wordsOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? TEXT.settings.yes : TEXT.settings.no
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  return JSON.stringify(value)
}

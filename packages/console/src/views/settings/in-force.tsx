import { useConsole } from '../../parts/context.ts'
import { Read, useReading } from '../../parts/reading.tsx'
import { TEXT } from '../../text.ts'

/** The parts of the configuration that people ask for, each with its heading. */
const PARTS = ['python', 'avis', 'privacy', 'journal', 'evidence'] as const

/** What the configuration says, as words; the whole of it below. */
export function InForce() {
  const { store } = useConsole()
  const settings = useReading(store.api.settings)
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
                <dl className="facts">
                  {factsOf(known[part]).map(([name, value]) => (
                    <Fact key={name} name={TEXT.settings.names[`${part}.${name}`] ?? name} value={value} />
                  ))}
                </dl>
                {factsOf(known[part]).length === 0 && <small>{TEXT.settings.usual}</small>}
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

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  )
}

function factsOf(part: unknown): [name: string, value: string][] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).map(([name, value]) => [name, wordsOf(value)])
}

function wordsOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? TEXT.settings.yes : TEXT.settings.no
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  return JSON.stringify(value)
}

import type { SettingsInForce } from '@deskhand/core/model'
import { Read, type Reading } from '../../parts/reading.tsx'
import { TEXT } from '../../text.ts'
import { Facts } from './facts.tsx'
import { Hardware } from './hardware.tsx'

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
            <Hardware />
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

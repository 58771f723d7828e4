import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openJournal } from '@deskhand/core/journal'
import { acting, decided, done } from '../journal/kit.ts'

/** Writes the record of so many calls, three entries each, of the simulated desktop of this state folder; the first is called Oldest. */
export async function writeLongJournal(state: string, calls: number): Promise<void> {
  const place = join(state, 'desktops', 'virtual')
  for (const dir of [place, join(state, 'keys')]) mkdirSync(dir, { recursive: true, mode: 0o700 })
  const journal = await openJournal({
    dir: join(place, 'journal'),
    desktop: 'urn:deskhand:virtual:virtual',
    keyDir: join(state, 'keys'),
    durability: 'none',
  })
  for (let i = 1; i <= calls; i++) {
    const op = `op-${i}`
    const entry = decided(op)
    if (i === 1 && entry.type === 'decided') entry.targets = entry.targets.map((target) => ({ ...target, name: 'Oldest of all' }))
    await Promise.all([entry, acting(op), done(op)].map((body) => journal.append(body)))
  }
  await journal.close()
}

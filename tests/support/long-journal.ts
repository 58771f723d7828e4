import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openJournal } from '@deskhand/core/journal'
import { acting, decided, done } from '../journal/kit.ts'

/**
 * Writes the record of so many calls, three entries each, of the simulated desktop of this state folder; the first is called Oldest.
 * `recordedAt` tells the time of each.
 */
export async function writeLongJournal(state: string, calls: number, recordedAt: (call: number) => number = Date.now): Promise<void> {
  const place = join(state, 'desktops', 'virtual')
  for (const dir of [place, join(state, 'keys')]) mkdirSync(dir, { recursive: true, mode: 0o700 })
  let call = 1
  const journal = await openJournal({
    dir: join(place, 'journal'),
    desktop: 'urn:deskhand:virtual:virtual',
    keyDir: join(state, 'keys'),
    durability: 'none',
    clock: () => recordedAt(call),
  })
  for (; call <= calls; call++) {
    const op = `op-${call}`
    const entry = decided(op)
    if (call === 1 && entry.type === 'decided') entry.targets = entry.targets.map((target) => ({ ...target, name: 'Oldest of all' }))
    await Promise.all([entry, acting(op), done(op)].map((body) => journal.append(body)))
  }
  await journal.close()
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { readEntries } from '@deskhand/core/journal'
import { Place } from './kit.ts'

/** Two hundred and more for a long run. */
const KILLS = Number(process.env['DESKHAND_KILLS'] ?? 25)

test(`after each of ${KILLS} kills nothing acknowledged is lost and the chain verifies`, { timeout: 30_000 + KILLS * 5000 }, async () => {
  const place = new Place()
  const acknowledged = new Map<number, string>()
  try {
    for (let run = 1; run <= KILLS; run++) {
      await killedWriter(place, run, acknowledged)
      const verification = await place.verify()
      expect(verification).toMatchObject({ ok: true, problems: [] })
      const last = Math.max(0, ...acknowledged.keys())
      expect(verification.anchoredTo).toBeGreaterThanOrEqual(last)
    }
    await (await place.open()).close()
    expect(await place.verify()).toMatchObject({ ok: true, tornBytes: 0 })
    expect(acknowledged.size).toBeGreaterThan(KILLS)
    await expectAll(place, acknowledged)
    expect(readdirSync(place.dir).filter((name) => name.endsWith('.lock'))).toEqual([])
  } finally {
    place.remove()
  }
})

/** One run in five is killed while it opens the journal, the others a moment after the first acknowledgement. */
async function killedWriter(place: Place, run: number, acknowledged: Map<number, string>): Promise<void> {
  const child = spawn(
    process.execPath,
    [
      '--import',
      'tsx',
      '--conditions=@deskhand/source',
      join(import.meta.dirname, 'writer-child.ts'),
      place.dir,
      place.keyDir,
      place.desktop,
      String(run),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'], cwd: resolve(import.meta.dirname, '../..') },
  )
  const gone = once(child, 'close')
  const early = run % 5 === 0
  let doomed = false
  for await (const line of createInterface(child.stdout)) {
    const [seq, ...what] = line.split(' ')
    if (what.length > 0) acknowledged.set(Number(seq), what.join(' '))
    if (doomed || (!early && what.length === 0)) continue
    doomed = true
    void sleep(Math.random() * (early ? 40 : 120)).then(() => child.kill('SIGKILL'))
  }
  await gone
}

/** Every acknowledged entry is there under its number, and every intent without an outcome is told of. */
async function expectAll(place: Place, acknowledged: Map<number, string>): Promise<void> {
  const open = new Set<string>()
  for await (const entry of readEntries(place.dir)) {
    const expected = acknowledged.get(entry.seq)
    if (entry.type === 'acting') open.add(entry.op)
    if (entry.type === 'done') open.delete(entry.op)
    if (expected !== undefined) expect('op' in entry && `${entry.type} ${entry.op}`).toBe(expected)
    acknowledged.delete(entry.seq)
  }
  expect([...acknowledged]).toEqual([])
  expect(new Set((await place.verify()).inFlight.map((intent) => intent.op))).toEqual(open)
}

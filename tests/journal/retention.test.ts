import { cpSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openEvidence } from '@deskhand/core/journal'
import { acting, call, collect, decided, done, Place } from './kit.ts'

let place: Place
beforeEach(() => {
  place = new Place()
})
afterEach(() => place.remove())

const SMALL = { rotateBytes: 5_000 }

test('old segments go, a signed statement stays, and the rest still verifies', async () => {
  await place.record(30, SMALL)
  const before = place.entries().length
  const old = new Date(Date.now() - 40 * 86_400_000)
  const segments = place.segments()
  expect(segments.length).toBeGreaterThan(4)
  for (const file of segments.slice(0, 3)) utimesSync(file, old, old)
  await place.record(1, { ...SMALL, retention: { days: 30 } })
  expect(place.segments()).not.toContain(segments[0])
  const [first] = place.entries()
  const found = await place.verify()
  expect(found).toMatchObject({ ok: true, retiredTo: first!.seq - 1, problems: [] })
  expect(found.retiredTo).toBeGreaterThan(5)
  const statement = place
    .entries()
    .find((e) => e.type === 'checkpoint' && e.detail !== undefined && JSON.stringify(e.detail).includes('"retired"'))
  expect(statement).toMatchObject({
    why: 'rotated',
    detail: { retired: { to: first!.seq - 1, segments: [1, 2, 3], limits: { days: 30 } } },
  })
  expect(statement?.seq).toBeGreaterThan(before)
  // It goes on from there, and again.
  await place.record(3, SMALL)
  expect(await place.verify()).toMatchObject({ ok: true })
  const journal = await place.open(SMALL)
  expect((await collect(journal.entries()))[0]?.seq).toBe(first!.seq)
  await journal.close()
})

test('more than the limit goes too, while the writer is at work', async () => {
  const journal = await place.open({ ...SMALL, retention: { megabytes: 0.02 } })
  for (let i = 0; i < 80; i++) await call(journal, `op-${i}`)
  await journal.close()
  const bytes = place.lines().join('').length
  expect(bytes).toBeLessThan(40_000)
  expect(await place.verify()).toMatchObject({ ok: true })
  expect((await place.verify()).retiredTo).toBeGreaterThan(20)
})

test('segments that somebody else removed are missed', async () => {
  await place.record(30, SMALL)
  rmSync(place.segments()[0]!)
  expect(await place.verify()).toMatchObject({ ok: false, problems: [{ kind: 'removed' }] })
})

test('nor does a statement of an earlier removal cover a later one', async () => {
  await place.record(30, SMALL)
  const old = new Date(Date.now() - 40 * 86_400_000)
  utimesSync(place.segments()[0]!, old, old)
  await place.record(1, { ...SMALL, retention: { days: 30 } })
  expect(await place.verify()).toMatchObject({ ok: true })
  rmSync(place.segments()[0]!)
  expect((await place.verify()).problems[0]).toMatchObject({ kind: 'removed' })
})

test('evidence that the limits removed is no longer missed, other evidence is', async () => {
  mkdirSync(place.keyDir, { recursive: true, mode: 0o700 })
  const store = openEvidence(place.dir, Buffer.alloc(32, 7))
  const journal = await place.open()
  const ids: string[] = []
  for (const name of ['a', 'b', 'c']) {
    ids.push(await store.keep(Buffer.from(name), 'encrypted'))
    await journal.append(decided(name))
    await journal.append(acting(name), { durable: true })
    await journal.append({ ...done(name), evidence: { screenshotHash: ids.at(-1) } } as ReturnType<typeof done>, { durable: true })
  }
  await journal.close()
  expect(await place.verify()).toMatchObject({ ok: true })
  const old = new Date(Date.now() - 40 * 86_400_000)
  const files = readdirSync(join(place.dir, 'evidence'))
  const fileOf = (id: string): string =>
    join(
      place.dir,
      'evidence',
      files.find((f) => id.includes(f))!,
    )
  utimesSync(fileOf(ids[0]!), old, old)
  await place.record(1, { retention: { evidenceDays: 30 } })
  expect(readdirSync(join(place.dir, 'evidence'))).toHaveLength(2)
  expect(await place.verify()).toMatchObject({ ok: true })
  rmSync(fileOf(ids[1]!))
  expect(await place.verify()).toMatchObject({ ok: false, problems: [{ kind: 'evidence_missing' }] })
  writeFileSync(fileOf(ids[2]!), 'changed')
  expect((await place.verify()).problems.map((p) => p.kind).sort()).toEqual(['evidence_changed', 'evidence_missing'])
})

test('entries that a crash left behind the anchor are named in every later verification', async () => {
  await place.record(2)
  const keys = join(place.root, 'keys-before')
  cpSync(place.keyDir, keys, { recursive: true })
  const journal = await place.open({ durability: 'none' })
  await call(journal, 'late')
  // The machine crashes: the newest anchor is lost, the lines are not.
  await journal.entries().next()
  const lines = place.lines().slice(0, -1)
  await journal.close()
  place.edit(() => lines)
  rmSync(place.keyDir, { recursive: true })
  cpSync(keys, place.keyDir, { recursive: true })
  await place.record(1).catch(() => {})
  const found = await place.verify()
  expect(found.adopted.length).toBeGreaterThan(0)
  await place.record(1)
  expect((await place.verify()).adopted).toEqual(found.adopted)
})

import { createHash } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { EntryBody } from '@deskhand/core/model'
import { lastSeq, memoryJournal, readEntries, readRaw, recordedCalls } from '@deskhand/core/journal'
import { acting, call, collect, decided, done, Place } from './kit.ts'

describe('reading', () => {
  let place: Place
  let total: number
  beforeAll(async () => {
    place = new Place()
    let now = Date.parse('2026-01-01T00:00:00Z')
    const journal = await place.open({ durability: 'none', rotateBytes: 20_000, checkpointEvery: 50, clock: () => (now += 1000) })
    for (let i = 1; i <= 100; i++) await call(journal, `op-${i}`)
    await journal.append({ ...decided('op-type'), tool: 'ui.type' } as EntryBody)
    await journal.append(acting('op-type'))
    await journal.append(done('op-type'))
    await journal.close()
    total = place.lines().length
    expect(place.segments().length).toBeGreaterThan(2)
  })
  afterAll(() => place.remove())

  test('gives every entry in order', async () => {
    const seqs = (await collect(readEntries(place.dir))).map((e) => e.seq)
    expect(seqs).toEqual(Array.from({ length: total }, (_, i) => i + 1))
    expect(await lastSeq(place.dir)).toBe(total)
  })

  test('any range is found, over segments too', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: total + 5 }), fc.nat(20), async (fromSeq, more) => {
        const seqs = (await collect(readEntries(place.dir, { fromSeq, toSeq: fromSeq + more }))).map((e) => e.seq)
        const last = Math.min(total, fromSeq + more)
        expect(seqs).toEqual(Array.from({ length: Math.max(0, last - fromSeq + 1) }, (_, i) => fromSeq + i))
      }),
      { numRuns: 60 },
    )
  })

  test('filters by type, operation, tool and time', async () => {
    const types = async (filter: Parameters<typeof readEntries>[1]): Promise<string[]> =>
      (await collect(readEntries(place.dir, filter))).map((e) => e.type)
    expect(await types({ op: 'op-7' })).toEqual(['decided', 'acting', 'done'])
    expect(await types({ tool: 'ui.type' })).toEqual(['decided', 'acting', 'done'])
    expect(await types({ tool: 'ui.type', types: ['done'] })).toEqual(['done'])
    expect(new Set(await types({ types: ['checkpoint'] }))).toEqual(new Set(['checkpoint']))
    const [first, , third] = await collect(readEntries(place.dir), 3)
    expect(await types({ since: first!.time, until: third!.time })).toEqual(['checkpoint', 'decided', 'acting'])
  })

  test('an export is the same bytes', async () => {
    expect(Buffer.concat(await collect(readRaw(place.dir))).toString()).toBe(place.lines().join(''))
  })

  test('a folder without a journal has no entries', async () => {
    expect(await collect(readEntries(place.root))).toEqual([])
    expect(await lastSeq(place.root)).toBe(0)
  })

  test('an unknown version and a line that is no entry are refused by name', async () => {
    const other = new Place()
    try {
      await other.record(1)
      appendFileSync(other.segments()[0]!, '{"v":2,"seq":6,"prev":"","type":"x"}\n')
      await expect(collect(readEntries(other.dir))).rejects.toMatchObject({
        code: 'JOURNAL_BROKEN',
        message: expect.stringContaining('version 2'),
      })
      other.edit((lines) => [...lines.slice(0, -1), '{"v":1,"seq":6,"time":"","prev":"","type":"acting"}\n'])
      await expect(collect(readEntries(other.dir))).rejects.toMatchObject({
        code: 'JOURNAL_BROKEN',
        message: expect.stringContaining('Entry 6'),
      })
    } finally {
      other.remove()
    }
  })
})

describe.each(['a folder', 'memory'])('reading and following a journal in %s', (where) => {
  let place: Place
  beforeEach(() => {
    place = new Place()
  })
  afterEach(() => place.remove())
  const open = (): Promise<Awaited<ReturnType<Place['open']>>> =>
    where === 'memory' ? Promise.resolve(memoryJournal({ desktop: place.desktop })) : place.open({ durability: 'none', rotateBytes: 3000 })

  test('gives what is there, then what comes, and ends with the journal', async () => {
    const journal = await open()
    const before = journal.seq
    for (let i = 1; i <= 20; i++) await call(journal, `op-${i}`)
    const followed = collect(journal.follow(0))
    const late = collect(journal.follow(journal.seq))
    for (let i = 21; i <= 40; i++) await call(journal, `op-${i}`)
    const { seq } = journal
    await journal.close()
    expect((await followed).map((e) => e.seq)).toEqual(Array.from({ length: journal.seq }, (_, i) => i + 1))
    expect(
      (await late)
        .filter((e) => 'op' in e)
        .map((e) => e.seq)
        .at(-1),
    ).toBe(seq)
    expect(before).toBe(where === 'memory' ? 0 : 1)
  })

  test('any part of it is read, whatever was handed over last included', async () => {
    const journal = await open()
    for (let i = 1; i <= 20; i++) await call(journal, `op-${i}`)
    const all = await collect(journal.entries())
    expect(all.at(-1)).toMatchObject({ type: 'done', op: 'op-20' })
    const some = fc.option(fc.uniqueArray(fc.constantFrom('decided', 'acting', 'done', 'checkpoint')), { nil: undefined })
    await fc.assert(
      fc.asyncProperty(fc.nat(all.length + 3), some, fc.option(fc.nat(30), { nil: undefined }), async (after, types, limit) => {
        const expected = all.filter((e) => e.seq > after && (types === undefined || types.some((type) => type === e.type)))
        expect(await collect(journal.entries({ after, types, limit }))).toEqual(expected.slice(0, limit ?? Infinity))
      }),
      { numRuns: 60 },
    )
    await journal.close()
  })

  test('every entry names its desktop', async () => {
    const journal = await open()
    await call(journal, 'op-1')
    await journal.close()
    expect(new Set((await collect(journal.follow(0))).map((e) => e.desktop))).toEqual(new Set([place.desktop]))
  })

  test('a signal ends it while it waits', async () => {
    const journal = await open()
    const stop = new AbortController()
    const followed = collect(journal.follow(journal.seq, stop.signal))
    setTimeout(() => stop.abort(), 20)
    expect(await followed).toEqual([])
    await journal.close()
  })
})

describe('a journal in memory', () => {
  test('has the chain of a folder’s, and keeps the last entries only', async () => {
    const journal = memoryJournal({ keep: 10 })
    for (let i = 1; i <= 9; i++) await call(journal, `op-${i}`)
    expect(journal.seq).toBe(27)
    const lines = journal.lines()
    for (let i = 1; i < lines.length; i++) {
      expect(JSON.parse(lines[i]!)).toMatchObject({
        prev: createHash('sha256')
          .update(lines[i - 1]!)
          .digest('hex'),
      })
    }
    const entries = await collect(journal.entries())
    expect(entries.map((e) => e.seq)).toEqual(Array.from({ length: 10 }, (_, i) => 18 + i))
    expect(await collect(journal.follow(0), 10)).toEqual(entries)
    expect((await collect(journal.entries({ types: ['done'], after: 19 }))).map((e) => e.seq)).toEqual([21, 24, 27])
    await journal.close()
    await expect(journal.append(decided('late'))).rejects.toMatchObject({ code: 'JOURNAL_FAILED' })
  })
})

describe('recorded calls', () => {
  test('come in the order of their decisions, each with its outcome, and an interrupted one without', async () => {
    const place = new Place()
    try {
      const journal = await place.open()
      await journal.append(decided('slow'))
      await call(journal, 'quick')
      await journal.append({ type: 'answered', op: 'slow', approval: 'a1', allow: true, scope: 'once', digest: 'd' })
      await journal.append(acting('slow'), { durable: true })
      await journal.append(done('slow'))
      await journal.append(decided('cut'))
      await journal.append(acting('cut'), { durable: true })
      await journal.close()
      await place.record(1)
      const calls = await collect(recordedCalls(place.dir))
      expect(calls.map((c) => [c.decided.op, c.answered?.allow, c.acting !== undefined, c.done?.effect])).toEqual([
        ['slow', true, true, 'confirmed'],
        ['quick', undefined, true, 'confirmed'],
        ['cut', undefined, true, undefined],
        ['op-1', undefined, true, 'confirmed'],
      ])
    } finally {
      place.remove()
    }
  })
})

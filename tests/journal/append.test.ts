import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openJournal } from '@deskhand/core/journal'
import { acting, call, decided, done, Place } from './kit.ts'

let place: Place
beforeEach(() => {
  place = new Place()
})
afterEach(() => place.remove())

describe('the chain', () => {
  test('prev is the sha256 of the line before with its newline, and the first is all zeros', async () => {
    await place.record(3)
    const lines = place.lines()
    let prev = '0'.repeat(64)
    lines.forEach((line, i) => {
      const entry = JSON.parse(line) as { seq: number; prev: string; v: number }
      expect(entry).toMatchObject({ v: 1, seq: i + 1, prev })
      prev = createHash('sha256').update(line).digest('hex')
    })
    expect(lines).toHaveLength(1 + 3 * 3 + 1)
  })

  test('fifty overlapping appends keep the order of their calls and leave an intact chain', async () => {
    const journal = await place.open({ checkpointEvery: 7 })
    const seqs = await Promise.all(Array.from({ length: 50 }, (_, i) => journal.append(acting(`op-${i}`), { durable: i % 2 === 0 })))
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b))
    expect(new Set(seqs).size).toBe(50)
    await journal.close()
    const ops = place.entries().flatMap((e) => (e.type === 'acting' ? [e.op] : []))
    expect(ops).toEqual(Array.from({ length: 50 }, (_, i) => `op-${i}`))
    expect(await place.verify()).toMatchObject({ ok: true, problems: [] })
  })

  test('an entry is what it was when it was handed over, whatever happens to the object afterwards', async () => {
    const journal = await place.open()
    const body = { type: 'acting' as const, op: 'op-1', steps: ['press'], digest: 'd' }
    const written = journal.append(body)
    body.steps.push('forged')
    await written
    await journal.close()
    expect(place.entries()[1]).toMatchObject({ steps: ['press'] })
  })

  test('any text survives, and a body cannot set the number or the link', async () => {
    const journal = await place.open()
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.jsonValue(), async (text, detail) => {
        await journal.append({ type: 'operator', what: text, by: { id: 'me', role: 'operator' }, detail })
      }),
      { numRuns: 200 },
    )
    const forged = { ...acting('x'), seq: 99, prev: 'y' }
    await expect(journal.append(forged)).rejects.toMatchObject({ code: 'INTERNAL' })
    await journal.close()
    expect(await place.verify()).toMatchObject({ ok: true, entries: 202 })
  })

  test('an entry too large to be read back in bounded memory is refused, and the next one is taken', async () => {
    const journal = await place.open()
    await expect(journal.append({ type: 'acting', op: 'op-1', steps: ['x'.repeat(5_000_000)], digest: 'd' })).rejects.toMatchObject({
      code: 'BAD_ARGS',
    })
    expect(await journal.append(acting('op-2'))).toBe(2)
    await journal.close()
  })
})

describe('checkpoints and segments', () => {
  test('a journal is sealed when it is opened, at intervals, at rotation and when it is closed', async () => {
    const journal = await place.open({ checkpointEvery: 5, rotateBytes: 4000 })
    for (let i = 1; i <= 10; i++) await call(journal, `op-${i}`)
    await journal.close()
    const whys = new Set(place.entries().flatMap((e) => (e.type === 'checkpoint' ? [e.why] : [])))
    expect(whys).toEqual(new Set(['opened', 'interval', 'rotated', 'closed']))
    expect(place.segments().length).toBeGreaterThan(1)
    expect(await place.verify()).toMatchObject({ ok: true, anchoredTo: place.lines().length, signedTo: place.lines().length })
  })

  test('the chain goes on over segments and over restarts', async () => {
    for (let run = 0; run < 4; run++) await place.record(5, { rotateBytes: 3000 })
    expect(place.segments().length).toBeGreaterThan(3)
    expect(place.entries().map((e) => e.seq)).toEqual(place.lines().map((_, i) => i + 1))
    expect(await place.verify()).toMatchObject({ ok: true })
  })

  test('every durable entry is anchored when its append resolves, also without a checkpoint', async () => {
    const journal = await place.open()
    const seq = await journal.append(acting('op-1'), { durable: true })
    expect(await place.verify()).toMatchObject({ ok: true, anchoredTo: seq, signedTo: 1 })
    await journal.close()
  })

  test('without durability only checkpoints are anchored', async () => {
    const journal = await place.open({ durability: 'none' })
    const seq = await journal.append(acting('op-1'), { durable: true })
    expect(await place.verify()).toMatchObject({ ok: true, entries: seq, anchoredTo: 1 })
    await journal.close()
    expect(await place.verify()).toMatchObject({ ok: true, anchoredTo: seq + 1 })
  })
})

describe('what only the owner may touch', () => {
  test('keys, anchors and segments are readable by their owner only', async () => {
    await place.record(1)
    const files = [...readdirSync(place.keyDir).map((name) => join(place.keyDir, name)), ...place.segments()]
    expect(files).toHaveLength(3)
    for (const file of files) expect(statSync(file).mode & 0o077).toBe(0)
  })

  test('a key that others can read, and a key folder that others can change, are refused', async () => {
    await place.record(1)
    chmodSync(join(place.keyDir, 'journal.key'), 0o644)
    await expect(place.open()).rejects.toMatchObject({ code: 'BAD_CONFIG' })
    chmodSync(join(place.keyDir, 'journal.key'), 0o600)
    chmodSync(place.keyDir, 0o777)
    await expect(place.open()).rejects.toMatchObject({ code: 'BAD_CONFIG' })
  })

  test('keys and anchors inside the journal’s folder are refused', async () => {
    const inside = join(place.dir, 'keys')
    await expect(place.open({ keyDir: inside })).rejects.toMatchObject({ code: 'BAD_CONFIG' })
    await expect(place.open({ anchorDir: inside })).rejects.toMatchObject({ code: 'BAD_CONFIG' })
  })
})

describe('one writer', () => {
  test('a second writer is told who has the journal, and gets it when the first is done', async () => {
    const first = await place.open()
    await expect(place.open()).rejects.toMatchObject({ code: 'BROKER_BUSY', message: expect.stringContaining(String(process.pid)) })
    await first.close()
    const second = await place.open()
    await second.close()
  })

  test('of many that come at once exactly one gets in', async () => {
    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => place.open()))
    const open = tries.flatMap((t) => (t.status === 'fulfilled' ? [t.value] : []))
    expect(open).toHaveLength(1)
    await open[0]?.close()
  })

  test('the lock of a dead process, and of another process with the same number, is no obstacle', async () => {
    await place.record(1)
    const first = await place.open()
    const lock = readdirSync(place.dir).find((name) => name.endsWith('.lock'))
    await first.close()
    expect(lock).toMatch(new RegExp(`^writer\\.${process.pid}\\.\\d+\\.`))
    writeFileSync(join(place.dir, lock!.replace(/^writer\.\d+\.\d+/, 'writer.4194303.1')), '')
    writeFileSync(join(place.dir, lock!.replace(/^writer\.(\d+)\.\d+/, 'writer.$1.1')), '')
    await (await place.open()).close()
    expect(readdirSync(place.dir).filter((name) => name.endsWith('.lock'))).toEqual([])
  })

  test('the lock of another machine is respected', async () => {
    mkdirSync(place.dir, { recursive: true })
    writeFileSync(join(place.dir, 'writer.1.1.00000000.00000000.lock'), '')
    await expect(place.open()).rejects.toMatchObject({ code: 'BROKER_BUSY', message: expect.stringContaining('another machine') })
  })
})

describe('after a crash', () => {
  test('a torn last line is put aside and told of, and nothing before it is lost', async () => {
    await place.record(2)
    const whole = place.lines()
    appendFileSync(place.segments()[0]!, '{"v":1,"seq":9,"ti')
    await place.record(1)
    expect(place.lines().slice(0, whole.length)).toEqual(whole)
    const opened = place.entries()[whole.length]
    expect(opened).toMatchObject({ why: 'opened', detail: { torn: [{ bytes: 18 }] } })
    const file = readdirSync(place.dir).find((name) => name.startsWith('torn-'))
    expect(readFileSync(join(place.dir, file!), 'utf8')).toBe('{"v":1,"seq":9,"ti')
    expect(await place.verify()).toMatchObject({ ok: true, tornBytes: 0 })
  })

  test('blocks that never reached the disk are put aside with all that follows them', async () => {
    await place.record(1)
    const count = place.lines().length
    appendFileSync(place.segments()[0]!, Buffer.concat([Buffer.alloc(300), Buffer.from('"x"}\n{"v":1}\n')]))
    await place.record(1)
    expect(place.entries()[count]).toMatchObject({ why: 'opened', detail: { torn: [{ bytes: 313 }] } })
    expect(await place.verify()).toMatchObject({ ok: true })
  })

  test('wherever a crash cuts what was not yet anchored, the journal opens, verifies and tells what only the chain vouches for', async () => {
    const journal = await place.open({ durability: 'none' })
    const anchored = statSync(place.segments()[0]!).size
    for (let i = 1; i <= 3; i++) await call(journal, `op-${i}`)
    const keys = readdirSync(place.keyDir).map((name) => [name, readFileSync(join(place.keyDir, name))] as const)
    const bytes = readFileSync(place.segments()[0]!)
    await journal.close()
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: anchored, max: bytes.length }), async (size) => {
        const copy = new Place()
        try {
          mkdirSync(copy.dir)
          mkdirSync(copy.keyDir, { mode: 0o700 })
          for (const [name, content] of keys) writeFileSync(join(copy.keyDir, name), content, { mode: 0o600 })
          writeFileSync(join(copy.dir, 'journal-000001.jsonl'), bytes.subarray(0, size))
          await copy.record(1)
          const whole = bytes.subarray(0, size).toString().split('\n').length - 1
          const detail = whole > 1 ? { adopted: { from: 2, to: whole } } : {}
          expect(copy.entries()[whole]).toMatchObject({ seq: whole + 1, why: 'opened', detail })
          expect(await copy.verify()).toMatchObject({ ok: true })
        } finally {
          copy.remove()
        }
      }),
      { numRuns: 40 },
    )
  })

  test('what a newer version wrote is refused, not cut off', async () => {
    await place.record(1)
    appendFileSync(place.segments()[0]!, '{"v":2,"seq":6,"prev":"","type":"x"}\n')
    await expect(place.open()).rejects.toMatchObject({ code: 'JOURNAL_BROKEN' })
  })
})

describe('a journal that was tampered with is not continued', () => {
  const refused = { code: 'JOURNAL_BROKEN', next: expect.stringContaining('deskhand journal verify') }

  test('a cut tail, an emptied file and a changed last line', async () => {
    await place.record(2)
    const [file] = place.segments()
    const bytes = readFileSync(file!)
    truncateSync(file!, bytes.length - place.lines().at(-1)!.length)
    await expect(place.open()).rejects.toMatchObject(refused)
    writeFileSync(file!, '')
    await expect(place.open()).rejects.toMatchObject(refused)
    writeFileSync(file!, bytes.toString().replace('"why":"closed"', '"why":"opened"'))
    await expect(place.open()).rejects.toMatchObject(refused)
    rmSync(file!)
    await expect(place.open()).rejects.toMatchObject(refused)
    writeFileSync(file!, bytes)
    await (await place.open()).close()
  })

  test('a journal without its anchor, or with another key', async () => {
    await place.record(1)
    await expect(place.open({ anchorDir: join(place.root, 'elsewhere') })).rejects.toMatchObject({ code: 'JOURNAL_BROKEN' })
    rmSync(join(place.keyDir, 'journal.key'))
    await expect(place.open()).rejects.toMatchObject({ code: 'JOURNAL_BROKEN', message: expect.stringContaining('another key') })
  })

  test('a refused journal leaves no lock behind', async () => {
    await place.record(1)
    writeFileSync(place.segments()[0]!, '')
    await expect(place.open()).rejects.toMatchObject({ code: 'JOURNAL_BROKEN' })
    expect(readdirSync(place.dir).filter((name) => name.endsWith('.lock'))).toEqual([])
  })
})

describe('closing', () => {
  test('what was handed over before is written, what comes later is refused, and closing twice is once', async () => {
    const journal = await place.open()
    const late = journal.append(done('op-1'))
    await Promise.all([journal.close(), journal.close()])
    expect(await late).toBe(2)
    await expect(journal.append(decided('op-2'))).rejects.toMatchObject({ code: 'JOURNAL_FAILED' })
    expect(place.entries().at(-1)).toMatchObject({ why: 'closed', seq: 3 })
  })

  test('two desktops share a key folder and not an anchor', async () => {
    await place.record(1)
    const dir = join(place.root, 'other')
    const other = await openJournal({ dir, desktop: 'urn:deskhand:virtual:other', keyDir: place.keyDir })
    await other.close()
    expect(readdirSync(place.keyDir).filter((name) => name.endsWith('.anchor'))).toHaveLength(2)
    expect(existsSync(join(dir, 'journal-000001.jsonl'))).toBe(true)
    expect(await place.verify()).toMatchObject({ ok: true })
  })
})

import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openEvidence, verifyJournal } from '@deskhand/core/journal'
import { acting, call, Place } from './kit.ts'

/** Twelve calls: 41 entries, with checkpoints at 1, 12, 23, 34 and 41. */
let original: Place
let place: Place

beforeAll(async () => {
  original = new Place()
  await original.record(12, { checkpointEvery: 10 })
  expect(original.entries().flatMap((e) => (e.type === 'checkpoint' ? [e.seq] : []))).toEqual([1, 12, 23, 34, 41])
})
afterAll(() => original.remove())

beforeEach(() => {
  place = new Place()
  for (const part of ['journal', 'keys']) cpSync(join(original.root, part), join(place.root, part), { recursive: true })
})
afterEach(() => place.remove())

const found = async (): Promise<string[]> => (await place.verify()).problems.map((p) => `${p.kind} ${p.seq}`)

/** Recomputes every link from a line on, as someone without the signing key can. */
function relink(lines: string[], from: number): string[] {
  const out = lines.slice(0, from)
  for (const [i, line] of lines.slice(from).entries()) {
    const before = out.at(-1)
    const prev = before === undefined ? '0'.repeat(64) : createHash('sha256').update(before).digest('hex')
    out.push(`${JSON.stringify({ ...(JSON.parse(line) as object), seq: from + i + 1, prev })}\n`)
  }
  return out
}

describe('verify', () => {
  test('finds nothing in an untouched journal and says how far it is anchored and signed', async () => {
    expect(await place.verify()).toMatchObject({
      ok: true,
      problems: [],
      entries: 41,
      intactTo: 41,
      anchoredTo: 41,
      signedTo: 41,
      inFlight: [],
    })
  })

  test('finds a changed byte anywhere and names its entry', async () => {
    const file = place.segments()[0]!
    const bytes = readFileSync(file)
    const starts = [0]
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) starts.push(at + 1)
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const changed = Buffer.from(bytes)
        changed[at]! ^= flip
        writeFileSync(file, changed)
        const { ok, problems, intactTo } = await place.verify()
        const entry = starts.findLastIndex((start) => start <= at) + 1
        expect(ok).toBe(false)
        expect(problems[0]?.seq).toBe(entry)
        expect(intactTo).toBe(entry - 1)
      }),
      { numRuns: Number(process.env['DESKHAND_TAMPER_RUNS'] ?? 400) },
    )
  })

  test.each([1, 2, 11, 12, 20, 40, 41])('finds that entry %i was removed', async (seq) => {
    place.edit((lines) => lines.toSpliced(seq - 1, 1))
    expect((await found())[0]).toBe(seq === 41 ? 'cut 41' : `removed ${seq}`)
  })

  test('finds that several entries were removed', async () => {
    place.edit((lines) => lines.toSpliced(13, 5))
    expect(await place.verify()).toMatchObject({ problems: [{ kind: 'removed', seq: 14, detail: 'Entries 14 to 18 were removed.' }] })
  })

  test.each([
    ['noise', 'noise\n'],
    ['an empty line', '\n'],
    ['a made-up entry', `${JSON.stringify({ v: 1, seq: 20, time: '', prev: 'x', ...acting('forged') })}\n`],
  ])('finds that %s was inserted', async (_, line) => {
    place.edit((lines) => lines.toSpliced(19, 0, line))
    expect(await found()).toEqual(['inserted 20'])
  })

  test('finds an inserted entry that links to the one before it', async () => {
    place.edit((lines) => {
      const prev = createHash('sha256').update(lines[18]!).digest('hex')
      return lines.toSpliced(19, 0, `${JSON.stringify({ v: 1, seq: 20, time: '', prev, ...acting('forged') })}\n`)
    })
    expect(await found()).toEqual(['inserted 20'])
  })

  test('finds two swapped entries, neighbours or not', async () => {
    place.edit((lines) => lines.with(19, lines[20]!).with(20, lines[19]!))
    expect(await found()).toEqual(['swapped 20'])
    place.edit(() => original.lines().with(15, original.lines()[29]!).with(29, original.lines()[15]!))
    expect(await found()).toEqual(['swapped 16', 'swapped 30'])
  })

  test.each([2, 20, 41])('finds that entry %i was duplicated', async (seq) => {
    place.edit((lines) => lines.toSpliced(seq, 0, lines[seq - 1]!))
    expect(await found()).toEqual([`duplicated ${seq}`])
  })

  test('finds a copy of an entry elsewhere', async () => {
    place.edit((lines) => lines.toSpliced(30, 0, lines[9]!))
    expect(await found()).toEqual(['inserted 31'])
  })

  test.each([40, 35, 34, 23, 12, 1])('finds that the tail was cut after entry %i, checkpoint or not', async (last) => {
    place.edit((lines) => lines.slice(0, last))
    const { problems, anchoredTo, intactTo } = await place.verify()
    expect(problems).toMatchObject([{ kind: 'cut', seq: last + 1, detail: expect.stringContaining('41') }])
    expect({ anchoredTo, intactTo }).toEqual({ anchoredTo: 0, intactTo: last })
  })

  test('finds an emptied file and a missing one', async () => {
    place.edit(() => [])
    expect(await found()).toEqual(['emptied 1'])
    rmSync(place.dir, { recursive: true })
    expect(await found()).toEqual(['emptied 1'])
  })

  test('finds a forged checkpoint', async () => {
    place.edit((lines) => {
      const checkpoint = JSON.parse(lines[22]!) as { signature: string }
      const signature = Buffer.alloc(64, 7).toString('base64url')
      return lines.with(22, lines[22]!.replace(checkpoint.signature, signature))
    })
    expect(await found()).toEqual(['forged_checkpoint 23'])
  })

  test('finds an entry that was changed together with all later links', async () => {
    place.edit((lines) => relink(lines.with(19, lines[19]!.replace('op-', 'no-')), 19))
    expect((await found())[0]).toBe('forged_checkpoint 23')
    expect(await place.verify()).toMatchObject({ signedTo: 12, intactTo: 22 })
  })

  test('finds a rewritten story from which the later checkpoints were left out', async () => {
    place.edit((lines) =>
      relink(
        lines.toSpliced(19, 1).filter((line, i) => i < 12 || !line.includes('"checkpoint"')),
        12,
      ),
    )
    expect((await found())[0]).toMatch(/^cut /)
    place.edit(() => {
      const kept = relink(
        original.lines().filter((line, i) => i < 12 || !line.includes('"checkpoint"')),
        12,
      )
      return relink(
        [...kept, ...Array.from({ length: 9 }, (_, i) => `${JSON.stringify({ v: 1, seq: 0, time: '', prev: '', ...acting(`x${i}`) })}\n`)],
        12,
      )
    })
    expect(await found()).toEqual(['rewritten 13'])
  })

  test('finds a journal that was regenerated with a new key', async () => {
    const forger = new Place()
    await forger.record(12, { checkpointEvery: 10 })
    rmSync(place.dir, { recursive: true })
    renameSync(forger.dir, place.dir)
    forger.remove()
    expect((await found())[0]).toBe('other_key 1')
  })

  test('finds checkpoints that were signed again with a new key', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const key = publicKey.export({ format: 'jwk' }).x
    place.edit((lines) => {
      let prev = createHash('sha256').update(lines[18]!).digest('hex')
      const rest = lines.slice(19).map((line) => {
        const { signature, ...entry }: Record<string, unknown> = { ...(JSON.parse(line) as object), prev }
        let text = JSON.stringify(signature === undefined ? entry : { ...entry, head: prev, key })
        if (signature !== undefined)
          text = `${text.slice(0, -1)},"signature":"${sign(null, Buffer.from(text.slice(0, -1)), privateKey).toString('base64url')}"}`
        prev = createHash('sha256').update(`${text}\n`).digest('hex')
        return `${text}\n`
      })
      return [...lines.slice(0, 19), rest[0]!.replace('op-', 'no-'), ...rest.slice(1)]
    })
    expect((await found()).some((problem) => problem.startsWith('other_key 23'))).toBe(true)
  })

  test('finds entries that were added after the journal had been closed, and does not go on from them', async () => {
    const forged = `${JSON.stringify({ v: 1, seq: 0, time: '', prev: '', ...acting('forged') })}\n`
    place.edit((lines) => relink([...lines, forged, forged], 41))
    expect(await found()).toEqual(['inserted 42'])
    await expect(place.open()).rejects.toMatchObject({ code: 'JOURNAL_BROKEN', message: expect.stringContaining('entry 42') })
  })

  test('finds another desktop’s journal in this one’s place', async () => {
    const other = new Place()
    await other.record(1, { desktop: 'urn:deskhand:virtual:other', keyDir: place.keyDir })
    rmSync(place.dir, { recursive: true })
    renameSync(other.dir, place.dir)
    other.remove()
    expect((await found())[0]).toBe('other_desktop 1')
  })

  test('rejects an unknown version', async () => {
    place.edit((lines) => relink(lines.with(40, lines[40]!.replace('{"v":1', '{"v":2')), 40))
    expect(await found()).toEqual(['unknown_version 41'])
  })

  test('ignores unknown fields', async () => {
    const journal = await place.open()
    const extended = { ...acting('op-x'), addedLater: { deep: true } }
    await journal.append(extended, { durable: true })
    await journal.close()
    expect(await place.verify()).toMatchObject({ ok: true, inFlight: [{ op: 'op-x' }] })
  })

  test('without an anchor the chain and the signatures still speak, and a missing anchor is a problem', async () => {
    const { dir, desktop } = place
    const plain = await verifyJournal({ dir })
    expect(plain).toMatchObject({ ok: true, anchoredTo: 0, signedTo: 41 })
    expect(await verifyJournal({ dir, key: plain.key! })).toMatchObject({ ok: true })
    expect(await verifyJournal({ dir, key: 'another' })).toMatchObject({ problems: [{ kind: 'other_key', seq: 1 }] })
    expect(await verifyJournal({ dir, desktop, anchorDir: place.root })).toMatchObject({ ok: false, problems: [{ kind: 'unanchored' }] })
  })
})

describe('verify of several segments', () => {
  test('finds a removed segment and names its entries', async () => {
    const long = new Place()
    try {
      await long.record(20, { rotateBytes: 4000 })
      const [, second] = long.segments()
      const entries = readFileSync(second!, 'utf8').trimEnd().split('\n')
      const [first, last] = [entries[0]!, entries.at(-1)!].map((line) => (JSON.parse(line) as { seq: number }).seq)
      rmSync(second!)
      expect((await long.verify()).problems).toMatchObject([
        { kind: 'removed', seq: first, detail: `Entries ${first} to ${last} were removed.` },
      ])
      const lastSegment = long.segments().at(-1)!
      rmSync(lastSegment)
      expect((await long.verify()).problems.map((p) => p.kind)).toEqual(['removed', 'cut'])
    } finally {
      long.remove()
    }
  })
})

describe('intents and evidence', () => {
  test('an intent without an outcome is in flight, and what it sent is unknown', async () => {
    const fresh = new Place()
    try {
      const journal = await fresh.open()
      await call(journal, 'op-1')
      const seq = await journal.append(acting('op-2'), { durable: true })
      expect(await fresh.verify()).toMatchObject({ ok: true, inFlight: [{ op: 'op-2', seq, sent: 'unknown' }] })
      await journal.close()
    } finally {
      fresh.remove()
    }
  })

  test('evidence that was changed or removed is found and its entry named; a mere hash needs no file', async () => {
    const fresh = new Place()
    try {
      const store = openEvidence(fresh.dir, Buffer.alloc(32, 1))
      mkdirSync(fresh.dir)
      const [shot, crop] = [await store.keep(Buffer.from('a screenshot'), 'encrypted'), await store.keep(Buffer.from('a crop'), 'hash')]
      const journal = await fresh.open()
      const outcome = { type: 'done', status: 'success', sent: 'all', effect: 'confirmed', ms: 1 } as const
      const seq = await journal.append({ ...outcome, op: 'op-1', evidence: { screenshotHash: shot, cropHash: crop } }, { durable: true })
      await journal.close()
      expect(await fresh.verify()).toMatchObject({ ok: true })
      const [blob] = readdirSync(join(fresh.dir, 'evidence'))
      const file = join(fresh.dir, 'evidence', blob!)
      const bytes = readFileSync(file)
      bytes[20]! ^= 1
      writeFileSync(file, bytes)
      expect(await fresh.verify()).toMatchObject({ ok: false, problems: [{ kind: 'evidence_changed', seq }] })
      rmSync(file)
      expect(await fresh.verify()).toMatchObject({ ok: false, problems: [{ kind: 'evidence_missing', seq }] })
    } finally {
      fresh.remove()
    }
  })
})

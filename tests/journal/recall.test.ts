import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { memoryJournal, recallCalls, type ReadableJournal } from '@deskhand/core/journal'
import type { EntryBody } from '@deskhand/core/model'
import { acting, collect, decided, done, Place } from './kit.ts'

const START = Date.parse('2026-01-01T00:00:00Z')

type Stage = 'decided' | 'answered' | 'acting' | 'done'

interface Made {
  op: string
  principal: string
  callId?: string
  until: Stage
  dryRun: boolean
}

const bodies = ({ op, principal, callId, until, dryRun }: Made): EntryBody[] => {
  const first = {
    ...decided(op),
    callId,
    call: callId && `digest of ${op}`,
    dryRun,
    principal: { id: principal, role: 'agent' },
  } as EntryBody
  const answered: EntryBody = { type: 'answered', op, approval: 'a1', allow: true, scope: 'once', digest: 'd' }
  const outcome = { ...done(op), via: `via ${op}` } as EntryBody
  return [first, answered, acting(op), outcome].slice(0, { decided: 1, answered: 2, acting: 3, done: 4 }[until])
}

/** Calls whose entries come in any order that keeps each call's own. */
const histories = fc
  .array(
    fc.record({
      principal: fc.constantFrom('agent', 'other'),
      callId: fc.option(fc.constantFrom('c1', 'c2', 'c3', 'c4'), { nil: undefined }),
      until: fc.constantFrom<Stage>('decided', 'answered', 'acting', 'done'),
      dryRun: fc.boolean(),
    }),
    { maxLength: 12 },
  )
  .chain((calls) => {
    const made = calls.map((call, i): Made => ({ op: `op-${i}`, ...call }))
    const turns = made.flatMap((call, i) => bodies(call).map(() => i))
    return fc.shuffledSubarray(turns, { minLength: turns.length }).map((order) => {
      const left = made.map(bodies)
      return { made, entries: order.flatMap((i) => left[i]?.shift() ?? []) }
    })
  })

/** What should be recalled, from the whole history in order: entry `i` was written in second `i + 1`. */
function expected(made: readonly Made[], entries: readonly EntryBody[], since: number, max: number): unknown[] {
  const at = (op: string, type?: Stage): number[] =>
    entries.flatMap((e, i) => ('op' in e && e.op === op && (type === undefined || e.type === type) ? [i + 1] : []))
  const recent = made.filter(({ op, callId }) => callId !== undefined && at(op).some((second) => second >= since))
  const byName = new Map<string, Made>()
  for (const call of recent.toSorted((a, b) => at(a.op, 'decided')[0]! - at(b.op, 'decided')[0]!)) {
    const name = `${call.principal} ${call.callId}`
    byName.delete(name)
    byName.set(name, call)
  }
  return [...byName.values()].slice(max === 0 ? byName.size : -max).map(({ op, principal, callId, until, dryRun }) => ({
    op,
    principal,
    callId,
    dryRun,
    tool: 'ui.click',
    kind: 'click',
    call: `digest of ${op}`,
    time: new Date(START + at(op, 'decided')[0]! * 1000).toISOString(),
    known:
      until === 'done'
        ? { state: 'done', status: 'success', sent: 'all', effect: 'confirmed', via: `via ${op}` }
        : { state: until === 'acting' ? 'sent_unknown' : 'nothing_sent' },
  }))
}

describe.each(['a folder', 'memory'])('recalling the calls of a journal in %s', (where) => {
  let place: Place
  beforeEach(() => {
    place = new Place()
  })
  afterEach(() => place.remove())
  /** Every entry a second after the one before; the checkpoint that opens a folder's is in second 0. */
  async function open(): Promise<ReadableJournal> {
    let second = where === 'memory' ? 0 : -1
    const clock = (): number => START + ++second * 1000
    return where === 'memory'
      ? memoryJournal({ clock })
      : place.open({ durability: 'none', rotateBytes: 1500, checkpointEvery: 1e6, clock })
  }

  test('any history gives the newest call of each id, with what is known of it', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.nat(50), fc.nat(5), async ({ made, entries }, since, max) => {
        place.remove()
        place = new Place()
        const journal = await open()
        for (const entry of entries) await journal.append(entry)
        const all = await recallCalls(journal, { sinceMs: START, max: 100 })
        expect(all).toEqual(expected(made, entries, 0, 100))
        expect(await recallCalls(journal, { sinceMs: START + since * 1000, max })).toEqual(expected(made, entries, since, max))
        await journal.close()
      }),
      { numRuns: where === 'memory' ? 200 : 40 },
    )
  })

  test('lines come newest first, whatever their length', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(fc.nat(300), fc.constantFrom(262_000, 262_144, 700_000)), { maxLength: 6 }), async (sizes) => {
        place.remove()
        place = new Place()
        const journal = await open()
        for (const [i, size] of sizes.entries()) await journal.append({ ...acting(`op-${i}`), steps: ['x'.repeat(size)] } as EntryBody)
        const seqs = (await collect(journal.backwards())).flat().map((raw) => (JSON.parse(raw.toString()) as { seq: number }).seq)
        expect(seqs).toEqual(Array.from({ length: journal.seq }, (_, i) => journal.seq - i))
        await journal.close()
      }),
      { numRuns: 15 },
    )
  })

  test('a long record is read only as far back as opening it may take', async () => {
    const journal = await open()
    for (let i = 1; i <= 12; i++)
      await journal.append({ ...decided(`op-${i}`), callId: `c${i}`, args: { text: 'x'.repeat(500_000) } } as EntryBody)
    const recalled = await recallCalls(journal, { sinceMs: 0, max: 100, maxBytes: 4 * 1024 * 1024 })
    expect(recalled.at(-1)).toMatchObject({ callId: 'c12', known: { state: 'nothing_sent' } })
    expect(recalled.length).toBeGreaterThan(4)
    expect(recalled.length).toBeLessThan(12)
    await journal.close()
  })
})

test('a crash between intent and outcome leaves a call of which it is unknown what was sent', async () => {
  const place = new Place()
  try {
    const journal = await place.open()
    await journal.append({ ...decided('op-1'), callId: 'c1', call: 'digest' } as EntryBody)
    await journal.append(acting('op-1'), { durable: true })
    await journal.close()
    const next = await place.open()
    expect(await recallCalls(next, { sinceMs: 0, max: 10 })).toMatchObject([
      { callId: 'c1', call: 'digest', known: { state: 'sent_unknown' } },
    ])
    await next.close()
  } finally {
    place.remove()
  }
})

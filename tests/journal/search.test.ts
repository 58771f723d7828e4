import { afterEach, beforeEach, expect, test } from 'vitest'
import { searchCalls, searchEntries, type ReadableJournal } from '@deskhand/core/journal'
import type { EntryBody, JournalEntry } from '@deskhand/core/model'
import { acting, decided, done, Place } from './kit.ts'

const GOES_ON = new AbortController().signal

let place: Place
let journal: ReadableJournal
beforeEach(async () => {
  place = new Place()
  journal = await place.open({ durability: 'none' })
})
afterEach(async () => {
  await journal.close()
  place.remove()
})

const told = (entries: readonly JournalEntry[]): string[] => entries.map((e) => ('op' in e ? `${e.op} ${e.type}` : e.type))
const write = async (...entries: EntryBody[]): Promise<void> => {
  for (const entry of entries) await journal.append(entry)
}
const by = (op: string, more: Partial<Extract<EntryBody, { type: 'decided' }>>): EntryBody => ({ ...decided(op), ...more }) as EntryBody

test('a call is found whole by a text in any of its entries, also when others were written between them', async () => {
  await write(decided('a'), decided('b'), acting('a'), acting('b'), done('b'), {
    ...done('a'),
    verification: { passed: true, details: 'Größe is 42' },
  } as EntryBody)
  const found = await searchCalls(journal, { text: 'GRÖSSE IS'.replace('SS', 'ß'), limit: 10 }, GOES_ON)
  expect(told(found)).toEqual(['a done', 'a acting', 'a decided'])
  expect(await searchCalls(journal, { text: 'size is', limit: 10 }, GOES_ON)).toEqual([])
})

test('calls are found by agent, tool, application, verdict, risk and effect together', async () => {
  const app = { id: 'app1', name: 'Mousepad' }
  const [target] = (decided('x') as Extract<EntryBody, { type: 'decided' }>).targets
  await write(
    by('a', { principal: { id: 'anna', role: 'agent' }, targets: [{ ...target!, app }] }),
    done('a'),
    by('b', { tool: 'ui.type', decision: { verdict: 'deny', reason: 'no', obligations: {} } }),
    { ...done('b'), effect: 'refused' } as EntryBody,
    by('c', { risk: { level: 'high', score: 80, factors: [] } }),
    { ...done('c'), effect: 'no_effect' } as EntryBody,
  )
  const ops = async (query: object) => {
    const found = await searchCalls(journal, { limit: 10, ...query }, GOES_ON)
    return found.flatMap((e) => (e.type === 'decided' ? [e.op] : []))
  }
  expect(await ops({ agent: 'anna' })).toEqual(['a'])
  expect(await ops({ app: 'mouse' })).toEqual(['a'])
  expect(await ops({ tool: 'ui.type' })).toEqual(['b'])
  expect(await ops({ verdict: 'deny' })).toEqual(['b'])
  expect(await ops({ risk: 'high' })).toEqual(['c'])
  expect(await ops({ effect: 'no_effect' })).toEqual(['c'])
  expect(await ops({ effect: 'no_effect', agent: 'anna' })).toEqual([])
  expect(await ops({})).toEqual(['c', 'b', 'a'])
})

test('pages of calls follow each other without a gap, whatever stands between them', async () => {
  const operator: EntryBody = { type: 'operator', what: 'pause', by: { id: 'olga', role: 'operator' } }
  await write(decided('a'), decided('b'), operator, done('b'), decided('c'), done('a'), done('c'))
  const seen: string[] = []
  for (let before: number | undefined, more = 9; more > 0; more--) {
    const page = await searchCalls(journal, { limit: 1, ...(before === undefined ? {} : { before }) }, GOES_ON)
    if (page.length === 0) break
    seen.push(told(page).join(', '))
    before = page.at(-1)!.seq
  }
  expect(seen).toEqual(['c done, c decided', 'operator', 'b done, b decided', 'a done, a decided', 'checkpoint'])
})

test('a later decision about another way belongs to the call that it is about', async () => {
  await write(decided('a'), by('a', { route: { by: 'pointer' } }), done('a'))
  const found = await searchCalls(journal, { limit: 10, tool: 'ui.click' }, GOES_ON)
  expect(told(found).filter((t) => t.startsWith('a'))).toEqual(['a done', 'a decided', 'a decided'])
})

test('what an agent wrote cannot pose as another call', async () => {
  await write(by('a', { args: { text: '"op":"b","type":"done"' } }), done('a'), decided('b'), done('b'))
  const found = await searchEntries(journal, { op: 'b', after: 0, limit: 10, newest: true }, GOES_ON)
  expect(told(found)).toEqual(['b done', 'b decided'])
  expect(told(await searchCalls(journal, { text: 'op\\":\\"b', limit: 10 }, GOES_ON))).toEqual(['a done', 'a decided'])
})

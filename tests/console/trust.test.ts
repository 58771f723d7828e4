import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConsoleWorld } from '../support/console.ts'
import { writeLongJournal } from '../support/long-journal.ts'

/** Calls of an earlier time, which ended with a checkpoint. */
const EARLIER = 5

let on: ConsoleWorld
beforeAll(async () => void (on = await ConsoleWorld.open('', '', {}, (state) => writeLongJournal(state, EARLIER))))
afterAll(() => on?.end())

const press = async (name: string): Promise<string> => (await on.call('ui.click', { target: `name="${name}"` })).op

/** What the page says of each step, by its first entry. */
async function stated(ops: readonly string[]): Promise<{ op: string; seq: number; says: string }[]> {
  const all: { op: string; seq: number; says: string }[] = []
  const step = on.page.getByRole('region', { name: 'Step', exact: true })
  for (const op of ops) {
    await on.page.locator(`.entry[data-op="${op}"]`).click()
    await on.page.locator(`.entry[data-op="${op}"][aria-selected=true]`).waitFor()
    const [, seq = '', says = ''] = /entry (\d+)(.*?)(?:Make a rule|Rehearse this)/.exec((await step.textContent()) ?? '') ?? []
    all.push({ op, seq: Number(seq), says })
  }
  return all
}

/** What the command says of the same files. */
async function verified(): Promise<{ anchoredTo: number; problems: { seq: number }[] }> {
  return JSON.parse((await on.world.run(['journal', 'verify', '--json'])).out) as { anchoredTo: number; problems: { seq: number }[] }
}

test('every step is marked with how far the record can be trusted there, as the command finds it, before and after a change', async () => {
  const ops = ['op-2', 'op-3', await press('Already paid')]
  await on.page.goto(`${on.up.ready.url}/timeline`)
  await on.page.getByRole('button', { name: /record intact/ }).waitFor()
  const { anchoredTo } = await verified()
  expect(await on.page.getByRole('button', { name: /record intact/ }).getAttribute('title')).toContain(`up to entry ${anchoredTo}`)
  const before = await stated(ops)
  expect(before.map(({ says }) => says)).toEqual(['verified and anchored', 'verified and anchored', 'verified, not anchored yet'])
  expect(before.map(({ seq }) => seq <= anchoredTo)).toEqual([true, true, false])

  const fresh = await press('Already paid')
  await on.page.locator(`.entry[data-op="${fresh}"]`).waitFor()
  expect((await stated([fresh]))[0]?.says).toBe('newer than the last check')
  // The mark of the whole is green only for what was checked.
  const mark = on.page.getByRole('button', { name: /^record / })
  expect([await mark.textContent(), await mark.getAttribute('class')]).toEqual([
    expect.stringMatching(/^record checked to entry \d+, [1-9]\d* newer$/),
    'chip mark plain',
  ])
  await mark.click()
  await expect.poll(async () => (await stated([fresh]))[0]?.says).toBe('verified, not anchored yet')

  expect(await mark.textContent()).toMatch(/^record intact, \d+ entries$/)
  expect(await mark.getAttribute('class')).toBe('chip mark ok')

  const folder = on.up.ready.journal
  const file = join(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.jsonl'))!,
  )
  const lines = readFileSync(file, 'utf8').split('\n')
  const at = lines.findIndex((line) => line.includes('"op-3"') && line.includes('"type":"decided"'))
  writeFileSync(file, lines.with(at, lines[at]!.replace('"risk":{"level":"low"', '"risk":{"level":"high"')).join('\n'))
  await mark.click()
  await on.page.getByRole('button', { name: /record changed at entry/ }).waitFor()
  const [problem] = (await verified()).problems
  const now = await stated(ops)
  expect(now.map(({ says }) => says)).toEqual([
    'verified and anchored',
    'changed from here on: what follows cannot be trusted',
    'after the first change: it cannot be trusted',
  ])
  const broken = now[1]!
  expect(problem!.seq).toBeGreaterThanOrEqual(broken.seq)
  expect(problem!.seq).toBeLessThan(now[2]!.seq)
  const marked = on.page.locator('.entry').filter({ hasText: 'changed here' })
  expect(await marked.evaluateAll((rows) => rows.map((row) => (row as unknown as { dataset: { op?: string } }).dataset.op))).toEqual([
    'op-3',
  ])
})

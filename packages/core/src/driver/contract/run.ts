import { type Driver, DriverInfo, CAPS, within } from '../driver.ts'
import { acting } from './acting.ts'
import type { Case } from './case.ts'
import { ContractDesk, NotShown } from './contract-desk.ts'
import { expect } from './expect.ts'
import { CONTRACT_WINDOW, type Fixture, type Opened } from './fixture.ts'
import { refuses } from './gaps.ts'
import { inTime } from './in-time.ts'
import { leasing } from './leasing.ts'
import { observing } from './observing.ts'

/** How much longer than one thing a whole case may take. */
const LONGEST = 10

/** Every case, in order. None relies on another. */
export const CASES: readonly Case[] = [...observing, ...acting, ...leasing]

export const DECLARES =
  'it speaks protocol 1, has a selector prefix, declares every ability, and every gap has a reason and is refused with it'

/** What a driver says of itself, and that its gaps are refused; answers with the gaps. */
export async function declares(desk: ContractDesk): Promise<string[]> {
  const info = DriverInfo.parse(await desk.driver.observe.info(desk.ctx))
  expect(info.prefixes).not.toHaveLength(0)
  for (const prefix of info.prefixes) expect(prefix).toMatch(/^[a-z][a-z0-9]*$/)
  const gaps: string[] = []
  for (const name of CAPS) {
    const cap = info.can[name]
    if (cap.ok) continue
    expect(cap.reason, `the reason why it lacks ${name}`).toMatch(/\w/)
    gaps.push(await refuses(desk, name))
  }
  return gaps
}

/** Runs one case; answers with the gaps that it could not be shown for. */
export async function runCase({ needs, run }: Case, desk: ContractDesk): Promise<string[]> {
  const gaps: string[] = []
  const missing = needs.filter((cap) => !desk.can(cap) || desk.refuses[cap] !== undefined)
  for (const cap of missing) gaps.push(await refuses(desk, cap))
  if (missing.length === 0) await run(desk)
  return [...gaps, ...new Set(desk.gaps.splice(0))]
}

/** What became of one check. `gap`: the driver declares that it cannot do this, and refuses it; `unseen`: it shows no window to try it on. */
export interface Outcome {
  check: string
  result: 'holds' | 'gap' | 'unseen' | 'fails'
  why?: string
}

export interface CheckOptions extends Pick<Opened, 'unread' | 'refuses'> {
  fixture?: Fixture
  /** How long anything may take. */
  patienceMs?: number
  /** Only checks whose sentence has this in it. */
  only?: string
}

/** The suite that every driver passes, without vitest. Cases about a window are tried where the driver shows that of the fixture. */
export async function* checkDriver(
  driver: Driver,
  { fixture = CONTRACT_WINDOW, patienceMs = 20_000, only = '', unread, refuses: refused }: CheckOptions = {},
): AsyncGenerator<Outcome> {
  const info = await driver.observe.info(within(patienceMs))
  const { nodes } = info.can.tree.ok ? await driver.observe.read({}, within(patienceMs)) : { nodes: [] }
  const mustShow = nodes.some((n) => n.parent === undefined && n.name === fixture.window)
  const desk = new ContractDesk({ driver, fixture, unread, refuses: refused }, info, { patienceMs, mustShow })
  if (DECLARES.includes(only)) yield outcomeOf(DECLARES, async () => void (await declares(desk)))
  for (const one of CASES.filter((c) => c.name.includes(only))) {
    // Whatever a driver does or leaves undone, the run comes to an end.
    yield outcomeOf(one.name, () => inTime(runCase(one, desk), LONGEST * patienceMs, 'it did not come to an end'))
    await driver.act.stop().catch(() => {})
  }
}

async function outcomeOf(check: string, run: () => Promise<string[] | void>): Promise<Outcome> {
  try {
    const gaps = await run()
    return gaps && gaps.length > 0 ? { check, result: 'gap', why: gaps.join('; ') } : { check, result: 'holds' }
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    return { check, result: thrown instanceof NotShown ? 'unseen' : 'fails', why }
  }
}

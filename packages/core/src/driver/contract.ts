import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { acting } from './contract/acting.ts'
import { Desk } from './contract/desk.ts'
import type { Opened } from './contract/fixture.ts'
import { refuses } from './contract/gaps.ts'
import { leasing } from './contract/leasing.ts'
import { type Ability, limit } from './contract/limit.ts'
import { observing } from './contract/observing.ts'
import { CAPS, type CapName, DriverInfo, within } from './driver.ts'

export { CONTRACT_WINDOW, type Fixture, type Opened } from './contract/fixture.ts'

export interface ContractOptions {
  /** Runs the suite with an ability taken away; cases that need it check its refusal. */
  without?: Ability
  /** What this driver cannot do here. A gap that is declared but not named here fails. */
  gaps?: readonly CapName[]
}

const TEST_MS = 120_000

/** The suite that every driver passes. `open` shows the window of `Fixture`; it is opened once, and no case relies on another. */
export function describeDriver(name: string, open: () => Promise<Opened>, { without, gaps = [] }: ContractOptions = {}): void {
  describe(without ? `${name}, without ${without} steps` : name, { timeout: TEST_MS }, () => {
    let opened: Opened | undefined
    let desk: Desk

    beforeAll(async () => {
      opened = await open()
      const driver = without ? limit(opened.driver, without) : opened.driver
      desk = new Desk(driver, opened.fixture, await driver.observe.info(within(20_000)))
    }, TEST_MS)
    afterEach(() => opened?.driver.act.stop())
    afterAll(() => opened?.close(), TEST_MS)

    test('it speaks protocol 1, declares every ability, and every gap has a reason and is known', async ({ annotate }) => {
      const info = DriverInfo.parse(await opened?.driver.observe.info(within(20_000)))
      const missing = CAPS.filter((cap) => !info.can[cap].ok)
      for (const cap of missing) expect(info.can[cap]).toMatchObject({ reason: expect.stringMatching(/\w/) as string })
      expect(missing.toSorted()).toEqual([...gaps].toSorted())
      for (const cap of CAPS.filter((c) => !desk.can(c))) await annotate(await refuses(desk, cap), 'gap')
    })

    for (const { name: sentence, needs, run } of [...observing, ...acting, ...leasing]) {
      test(sentence, async ({ annotate }) => {
        const missing = needs.filter((cap) => !desk.can(cap))
        for (const cap of missing) await annotate(await refuses(desk, cap), 'gap')
        if (missing.length === 0) await run(desk)
      })
    }
  })
}

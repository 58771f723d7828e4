import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { acting } from './acting.ts'
import { ContractDesk } from './contract-desk.ts'
import type { Opened } from './fixture.ts'
import { refuses } from './gaps.ts'
import { leasing } from './leasing.ts'
import { type Ability, limit } from './limit.ts'
import { observing } from './observing.ts'
import { CAPS, type CapName, DriverInfo, within } from '../driver.ts'

export { CONTRACT_WINDOW, type Fixture, type Opened } from './fixture.ts'

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
    let desk: ContractDesk

    beforeAll(async () => {
      opened = await open()
      const driver = without ? limit(opened.driver, without) : opened.driver
      desk = new ContractDesk(driver, opened.fixture, await driver.observe.info(within(20_000)))
    }, TEST_MS)
    afterEach(() => opened?.driver.act.stop())
    afterAll(() => opened?.close(), TEST_MS)

    test('it speaks protocol 1, has a selector prefix, declares every ability, and every gap has a reason and is known', async ({
      annotate,
    }) => {
      const info = DriverInfo.parse(await opened?.driver.observe.info(within(20_000)))
      expect(info.prefixes).not.toHaveLength(0)
      for (const prefix of info.prefixes) expect(prefix).toMatch(/^[a-z][a-z0-9]*$/)
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

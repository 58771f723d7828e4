import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ContractDesk } from './contract-desk.ts'
import type { Opened } from './fixture.ts'
import { type Ability, limit } from './limit.ts'
import { CASES, DECLARES, declares, runCase } from './run.ts'
import { CAPS, type CapName, within } from '../driver.ts'

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
      desk = new ContractDesk({ ...opened, driver }, await driver.observe.info(within(20_000)))
    }, TEST_MS)
    afterEach(() => opened?.driver.act.stop())
    afterAll(() => opened?.close(), TEST_MS)

    test(DECLARES, async ({ annotate }) => {
      const info = await opened!.driver.observe.info(within(20_000))
      expect(CAPS.filter((cap) => !info.can[cap].ok).toSorted()).toEqual([...gaps].toSorted())
      for (const gap of await declares(desk)) await annotate(gap, 'gap')
    })

    for (const one of CASES) {
      test(one.name, async ({ annotate }) => {
        for (const gap of await runCase(one, desk)) await annotate(gap, 'gap')
      })
    }
  })
}

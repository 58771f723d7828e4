import { within } from '@deskhand/core/driver'
import { CONTRACT_WINDOW as fixture, describeDriver } from '@deskhand/core/driver/contract'
import { expect, test } from 'vitest'
import { axContractApp } from '../support/ax/ax-contract-app.ts'
import { AX_GAPS, AxDriver } from '../support/ax/ax-driver.ts'

describeDriver(
  'a driver over a double of the accessibility API of macOS',
  async () => {
    const driver = new AxDriver(axContractApp())
    return { driver, fixture, close: () => driver.close() }
  },
  { gaps: AX_GAPS },
)

test('without the permission the double says which one is missing and where it is given', async () => {
  const app = axContractApp()
  const driver = new AxDriver(app)
  app.isTrusted = false
  const { can } = await driver.observe.info(within(1000))
  expect(can.tree).toMatchObject({ ok: false, consent: true, fix: expect.stringContaining('Accessibility') as string })
})

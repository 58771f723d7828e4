import { CONTRACT_WINDOW, type Opened, describeDriver } from '@deskhand/core/driver/contract'
import { describeKwin, kwinSession } from '../support/kwin.ts'
import { PYTHON, fixture, linuxHost, shown, start, told } from '../support/linux.ts'

async function open(program: string): Promise<Opened> {
  const session = await kwinSession({ isTrusting: true })
  const driver = await linuxHost({ env: { ...session.env, DESKHAND_CONSENT: 'given' } })
  start(session, PYTHON, [fixture(program)])
  await shown(driver, CONTRACT_WINDOW.window)
  await told(driver)
  return {
    driver,
    fixture: CONTRACT_WINDOW,
    untyped: 'KWin lends no keys',
    close: async () => {
      await driver.close()
      await session.down()
    },
  }
}

describeKwin('KWin', () => {
  describeDriver('the Linux driver on GTK 3 under KWin', () => open('contract_gtk3.py'))
})

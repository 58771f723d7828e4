import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { CONTRACT_WINDOW, type Opened, describeDriver } from '@deskhand/core/driver/contract'
import { describeGnome, gnomeSession } from '../support/gnome.ts'
import { PYTHON, fixture, linuxHost, shown, start, told } from '../support/linux.ts'

async function open(program: string): Promise<Opened> {
  const session = await gnomeSession({ isExtended: true })
  const [driver] = await Promise.all([
    linuxHost({ env: { ...session.env, DESKHAND_CONSENT: 'given' } }),
    promisify(execFile)(PYTHON, [fixture('answer_portal.py'), 'Share'], { env: session.env }),
  ])
  start(session, PYTHON, [fixture(program)])
  await shown(driver, CONTRACT_WINDOW.window)
  await told(driver)
  return {
    driver,
    fixture: CONTRACT_WINDOW,
    untyped: 'GNOME lends no keys',
    close: async () => {
      await driver.close()
      await session.down()
    },
  }
}

describeGnome('GNOME Shell', () => {
  describeDriver('the Linux driver on GTK 4 under GNOME Shell', () => open('contract_gtk4.py'))
})

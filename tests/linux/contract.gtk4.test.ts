import { describeDriver } from '@deskhand/core/driver/contract'
import { describeDesktop } from '../support/desktop.ts'
import { PYTHON, fixture, openFixture } from '../support/linux.ts'

const open = () => openFixture(PYTHON, [fixture('contract_gtk4.py')])

describeDesktop('GTK 4', () => {
  describeDriver('the Linux driver on GTK 4', open)
  describeDriver('the Linux driver on GTK 4', open, { without: 'semantic' })
  describeDriver('the Linux driver on GTK 4', open, { without: 'pointer' })
})

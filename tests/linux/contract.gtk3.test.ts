import { describeDriver } from '@deskhand/core/driver/contract'
import { describeDesktop } from '../support/desktop.ts'
import { PYTHON, fixture, openFixture } from '../support/linux.ts'

const open = () => openFixture(PYTHON, [fixture('contract_gtk3.py')])

describeDesktop('GTK 3', () => {
  describeDriver('the Linux driver on GTK 3', open)
  describeDriver('the Linux driver on GTK 3', open, { without: 'semantic' })
  describeDriver('the Linux driver on GTK 3', open, { without: 'pointer' })
})

import { describeDriver } from '@deskhand/core/driver/contract'
import { describeDesktop } from '../support/desktop.ts'
import { PYTHON, fixture, openFixture } from '../support/linux.ts'

const open = () => openFixture(PYTHON, [fixture('contract_qt5.py')])

describeDesktop('Qt 5', () => {
  describeDriver('the Linux driver on Qt 5', open)
  describeDriver('the Linux driver on Qt 5', open, { without: 'semantic' })
  describeDriver('the Linux driver on Qt 5', open, { without: 'pointer' })
})

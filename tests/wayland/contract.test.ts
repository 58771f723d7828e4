import { CONTRACT_WINDOW, type Opened, describeDriver } from '@deskhand/core/driver/contract'
import { describeWayland } from '../support/desktop.ts'
import { PYTHON, fixture, openFixture } from '../support/linux.ts'

const on = (program: string) => (): Promise<Opened> => openFixture(PYTHON, [fixture(program)], CONTRACT_WINDOW, {}, { display: 'wayland' })

describeWayland('Wayland', () => {
  describeDriver('the Linux driver on GTK 3 under Wayland', on('contract_gtk3.py'))
  describeDriver('the Linux driver on GTK 3 under Wayland', on('contract_gtk3.py'), { without: 'semantic' })
  describeDriver('the Linux driver on GTK 4 under Wayland', on('contract_gtk4.py'))
  describeDriver('the Linux driver on Qt 5 under Wayland', on('contract_qt5.py'))
})

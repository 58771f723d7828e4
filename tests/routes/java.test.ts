import { execFileSync } from 'node:child_process'
import { describe } from 'vitest'
import { fixture } from '../support/linux.ts'
import { describeRealRoutes } from '../support/real-routes.ts'

const WRAPPER = '/usr/share/java/java-atk-wrapper.jar'
const ACCESSIBLE = '-Djavax.accessibility.assistive_technologies=org.GNOME.Accessibility.AtkWrapper'

const BY_DEFAULT = 'Enter presses the default button, not a button that has the focus'
const NO_WHEEL = 'a wheel only scrolls'

describe('Java', () => {
  describeRealRoutes(
    async (log, dir) => {
      execFileSync('javac', ['-d', dir, fixture('Routes.java')])
      return { command: 'java', args: ['-XX:TieredStopAtLevel=1', '-cp', `${dir}:${WRAPPER}`, ACCESSIBLE, 'Routes', log] }
    },
    {
      'Archive by ui.key Tab, Enter from Comment': BY_DEFAULT,
      'Archive by ui.key Tab+Enter from Comment': BY_DEFAULT,
      'Amount by a wheel': NO_WHEEL,
      'Amount by a script that scrolls over it': NO_WHEEL,
      'Amount by ui.key PageUp from Amount': 'a spinner takes the arrow keys alone',
      'Level by a wheel': NO_WHEEL,
      'Colour by ui.key Tab, Tab, ArrowDown from Amount': 'the first arrow key opens the list',
      'Colour by a wheel': NO_WHEEL,
    },
  )
})

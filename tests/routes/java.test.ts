import { describe } from 'vitest'
import { describeRealRoutes, java } from '../support/real-routes.ts'

const BY_DEFAULT = 'Enter presses the default button, not a button that has the focus'
const NO_WHEEL = 'a wheel only scrolls'

const NOT_SET = 'Swing takes no value from outside, and ui.set finds no other way'

describe('Java', () => {
  describeRealRoutes(java('Routes'), {
    'Archive by ui.key Tab, Enter from Comment': BY_DEFAULT,
    'Archive by ui.key Tab+Enter from Comment': BY_DEFAULT,
    'Amount by a wheel': NO_WHEEL,
    'Amount by a script that scrolls over it': NO_WHEEL,
    'Amount by ui.key PageUp from Amount': 'a spinner takes the arrow keys alone',
    'Level by a wheel': NO_WHEEL,
    'Colour by ui.key Tab, Tab, ArrowDown from Amount': 'the first arrow key opens the list',
    'Colour by a wheel': NO_WHEEL,
    'Amount by ui.set': NOT_SET,
    'Level by ui.set': NOT_SET,
    'Colour by ui.set': NOT_SET,
  })
})

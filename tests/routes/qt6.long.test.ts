import { describe } from 'vitest'
import { describeRealRoutes, inQt6 } from '../support/real-routes.ts'

describe('Qt 6', () => {
  const byDefault = 'Enter presses the default button of a dialog, not a button that has the focus'
  describeRealRoutes(inQt6('routes_qt5.py'), {
    'Archive by ui.key Tab, Enter from Comment': byDefault,
    'Archive by ui.key Tab+Enter from Comment': byDefault,
  })
})

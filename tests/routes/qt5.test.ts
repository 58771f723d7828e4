import { describe } from 'vitest'
import { describeRealRoutes, python } from '../support/real-routes.ts'

describe('Qt 5', () => {
  const byDefault = 'Enter presses the default button of a dialog, not a button that has the focus'
  describeRealRoutes(python('routes_qt5.py'), {
    'Archive by ui.key Tab, Enter from Comment': byDefault,
    'Archive by ui.key Tab+Enter from Comment': byDefault,
  })
})

import { describe } from 'vitest'
import { describeRealRoutes, page } from '../support/real-routes.ts'

const NO_WHEEL = 'a wheel scrolls the page, and changes only a number that has the focus'

describe('Chromium', () => {
  describeRealRoutes(page('routes.html'), {
    'Purge by ui.menu': 'a page has no menu bar',
    'Amount by ui.key PageUp from Amount': 'a field for numbers takes the arrow keys alone',
    'Level by a wheel': NO_WHEEL,
    'Colour by a wheel': NO_WHEEL,
  })
})

import { describe } from 'vitest'
import { describeRealRoutes, python } from '../support/real-routes.ts'

describe('GTK 4', () => {
  describeRealRoutes(python('routes_gtk4.py'), { 'Colour by ui.set': 'the entries of its list are not told before it is open' })
})

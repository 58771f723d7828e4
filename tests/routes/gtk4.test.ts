import { describe } from 'vitest'
import { describeRealRoutes, python } from '../support/real-routes.ts'

describe('GTK 4', () => {
  describeRealRoutes(python('routes_gtk4.py'), {})
})

import { describe } from 'vitest'
import { describeRealRoutes, python } from '../support/real-routes.ts'

describe('GTK 3', () => {
  describeRealRoutes(python('routes_gtk3.py'), {})
})

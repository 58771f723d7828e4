import { describe } from 'vitest'
import { describeRealRoutes } from '../support/real-routes.ts'

describe('GTK 3', () => {
  describeRealRoutes('routes_gtk3.py', {})
})

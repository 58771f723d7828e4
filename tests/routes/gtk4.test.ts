import { describe } from 'vitest'
import { describeRealRoutes } from '../support/real-routes.ts'

describe('GTK 4', () => {
  describeRealRoutes('routes_gtk4.py', {})
})

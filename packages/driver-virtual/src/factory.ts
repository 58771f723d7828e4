import type { DriverFactory } from '@deskhand/core/driver'
import { openVirtual, type VirtualDriver } from './driver.ts'

export const virtualDriver: DriverFactory<VirtualDriver> = {
  kind: 'virtual',
  open: async ({ urn, ui }) => openVirtual({ ui, desktop: urn }),
  // A simulated desktop ends with its driver.
  releaseAll: async () => {},
}

import type { DriverFactory } from '@deskhand/core/driver'

/** Nothing of Windows is loaded before a desktop is opened, so that the factory can be asked on any system. */
export const windowsDriver: DriverFactory = {
  kind: 'windows',
  open: async ({ env, urn }) => (await import('./driver.ts')).openWindows({ ...env, DESKHAND_URN: urn }),
  host: '@deskhand/driver-windows/host',
  releaseAll: async () => void (await import('./win32/input.ts')).releaseEverything(),
}

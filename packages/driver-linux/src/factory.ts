import type { DriverFactory } from '@deskhand/core/driver'
import { openLinux } from './driver.ts'
import { releaseAll } from './release.ts'

export const linuxDriver: DriverFactory = {
  kind: 'linux',
  open: ({ env, urn }) => openLinux({ ...env, DESKHAND_URN: urn }),
  host: '@deskhand/driver-linux/host',
  releaseAll: async (env) => void (await releaseAll(env)),
}

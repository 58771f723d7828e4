import { runHost } from '@deskhand/core/driver'
import { openWindows } from './driver.ts'

/** The driver host of the session that this process runs in. */
await runHost(() => openWindows(process.env))

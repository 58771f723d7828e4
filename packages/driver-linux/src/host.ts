import { runHost } from '@deskhand/core/driver'
import { openLinux } from './driver.ts'

/** The driver host of the desktop that this process's environment names. */
await runHost(() => openLinux(process.env))

import { setTimeout as sleep } from 'node:timers/promises'
import type { ActivityLog } from '@deskhand/core/driver'
import type { WaylandInput } from '../input.ts'
import type { PortalDevice } from './device.ts'
import type { IdleMonitor } from './idle-monitor.ts'

/** What the shell tells of our own input may come so much later on a busy machine. */
const LATE_MS = 60

/**
 * A person's input, told from ours by what the shell tells of any input: what there is while nothing of ours is under way is theirs. It does not
 * say what was done, so that everything counts as a key.
 */
export async function watchPerson(monitor: IdleMonitor, device: PortalDevice, input: WaylandInput, activity: ActivityLog): Promise<void> {
  let isSending = false
  let hasSent = false
  const finish = async (): Promise<void> => {
    isSending = true
    try {
      while (hasSent) {
        hasSent = false
        await device.sync()
        await sleep(LATE_MS)
      }
    } finally {
      isSending = false
    }
  }
  input.onSent = () => {
    hasSent = true
    if (!isSending) void finish().catch(() => {})
  }
  await monitor.onInput(() => {
    if (isSending) return
    activity.count('keys')
    activity.tell()
  })
}

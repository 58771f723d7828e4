import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const SAMPLE_MS = 10
const BLIND_MS = 60

/** Waits until a process sleeps and has not run for a moment: it has taken in what was there. For those that cannot be asked. */
export async function quiet(pid: number | undefined, deadlineMs: number): Promise<boolean> {
  if (pid === undefined || sample(pid) === undefined) {
    await sleep(BLIND_MS)
    return true
  }
  const end = performance.now() + deadlineMs
  for (let before = ''; performance.now() < end;) {
    await sleep(SAMPLE_MS)
    const now = sample(pid)
    if (now === undefined) return false
    if (now.sleeps && now.ran === before) return true
    before = now.sleeps ? now.ran : ''
  }
  return false
}

function sample(pid: number): { sleeps: boolean; ran: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const state = stat.slice(stat.lastIndexOf(')') + 2)[0]
    return { sleeps: state === 'S', ran: readFileSync(`/proc/${pid}/schedstat`, 'latin1') }
  } catch {
    return undefined
  }
}

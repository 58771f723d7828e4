/** The live process groups that this process started; all are killed when it exits. */
const living = new Set<number>()
let watching = false

export function trackGroup(leader: number): void {
  if (!watching) process.once('exit', () => living.forEach((each) => killGroup(each, 'SIGKILL')))
  watching = true
  living.add(leader)
}

/** To be called once the leader was reaped, as its process id may be reused from then on. */
export function forgetGroup(leader: number): void {
  living.delete(leader)
}

export function killGroup(leader: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (!living.has(leader)) return
  try {
    process.kill(-leader, signal)
  } catch {
    // The group is gone already.
  }
}

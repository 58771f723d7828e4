/**
 * Processes that this process starts as leaders of groups of their own. Windows has no groups: there Node puts each child into a job that ends it with
 * this process, and the only one that is started, the cell of the bundled Python, may start no others.
 */
export const GROUPED = process.platform !== 'win32'

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
    process.kill(GROUPED ? -leader : leader, signal)
  } catch {
    // The group is gone already.
  }
}

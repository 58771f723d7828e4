/** The desktop's time in milliseconds since it was opened. A manual clock moves only when something waits for it. */
export interface Clock {
  readonly mode: 'manual' | 'real'
  now(): number
  after(ms: number, run: () => void): void
  /** When the next timer is due. */
  due(): number | undefined
  /** Moves a manual clock on, running what falls due in order. A real clock moves by itself. */
  advance(ms: number): void
  clear(): void
}

interface Timer {
  at: number
  run: () => void
}

/** However often an interface sets its timers anew, one advance ends, and no more than this many wait. */
const MAX_RUNS = 1000
const MAX_TIMERS = 1000

export function manualClock(): Clock {
  let now = 0
  let timers: Timer[] = []
  return {
    mode: 'manual',
    now: () => now,
    after(ms, run) {
      if (timers.length >= MAX_TIMERS) return
      const at = now + Math.max(1, ms)
      const place = timers.findIndex((t) => t.at > at)
      timers.splice(place === -1 ? timers.length : place, 0, { at, run })
    },
    due: () => timers[0]?.at,
    advance(ms) {
      const end = now + Math.max(0, ms)
      for (let runs = 0; runs < MAX_RUNS && timers[0] && timers[0].at <= end; runs++) {
        const timer = timers.shift()
        if (!timer) break
        now = Math.max(now, timer.at)
        timer.run()
      }
      now = end
    },
    clear: () => void (timers = []),
  }
}

export function realClock(): Clock {
  const start = performance.now()
  const timers = new Map<NodeJS.Timeout, number>()
  const now = (): number => performance.now() - start
  return {
    mode: 'real',
    now,
    after(ms, run) {
      if (timers.size >= MAX_TIMERS) return
      const timer = setTimeout(() => {
        timers.delete(timer)
        run()
      }, ms)
      timer.unref()
      timers.set(timer, now() + ms)
    },
    due: () => (timers.size ? Math.min(...timers.values()) : undefined),
    advance: () => {},
    clear() {
      for (const timer of timers.keys()) clearTimeout(timer)
      timers.clear()
    },
  }
}

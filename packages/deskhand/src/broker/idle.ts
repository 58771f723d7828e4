const LOOKS = 10

/** Resolves when no client was connected for so many minutes. `connections`: how many there are now, and how many there ever were. */
export function idle(connections: () => { now: number; ever: number }, minutes: number): Promise<void> {
  return new Promise((resolve) => {
    let quiet = 0
    let before = -1
    const timer = setInterval(
      () => {
        const { now, ever } = connections()
        quiet = now === 0 && ever === before ? quiet + 1 : 0
        before = ever
        if (quiet < LOOKS) return
        clearInterval(timer)
        resolve()
      },
      (minutes * 60_000) / LOOKS,
    )
  })
}

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const CODE_MS = 10 * 60_000
const IDLE_MS = 12 * 3_600_000
const MOST_CODES = 16
const MOST_SESSIONS = 64

export interface BrowserSession {
  /** What a request that changes something has to bring beside the cookie. */
  csrf: string
}

/**
 * Browsers that an operator opened. An opening code is good for one exchange; only digests of codes and cookies are kept, and nothing
 * outlives this process.
 */
export class Sessions {
  readonly #codes = new Map<string, number>()
  readonly #open = new Map<string, BrowserSession & { until: number }>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** A code for one opening link; the oldest unused one goes where there are many. */
  issue(): string {
    const code = randomBytes(24).toString('base64url')
    this.#codes.set(digest(code), this.#now() + CODE_MS)
    bound(this.#codes, MOST_CODES)
    return code
  }

  /** Exchanges a code for a cookie, once. */
  exchange(code: string): { cookie: string; csrf: string } | undefined {
    const key = digest(code)
    const until = this.#codes.get(key)
    this.#codes.delete(key)
    if (until === undefined || until < this.#now()) return undefined
    const cookie = randomBytes(32).toString('base64url')
    const csrf = randomBytes(18).toString('base64url')
    this.#open.set(digest(cookie), { csrf, until: this.#now() + IDLE_MS })
    bound(this.#open, MOST_SESSIONS)
    return { cookie, csrf }
  }

  find(cookie: string): BrowserSession | undefined {
    const key = digest(cookie)
    const found = this.#open.get(key)
    if (found === undefined) return undefined
    if (found.until < this.#now()) {
      this.#open.delete(key)
      return undefined
    }
    found.until = this.#now() + IDLE_MS
    return found
  }

  end(cookie: string): void {
    this.#open.delete(digest(cookie))
  }
}

/** Compares in a time that tells nothing of where two texts differ. */
export function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(digest(a)), Buffer.from(digest(b)))
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url')

function bound(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return
    map.delete(key)
  }
}

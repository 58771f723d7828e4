import type { ServerResponse } from 'node:http'
import { DeskhandError } from '@deskhand/core/errors'
import type { Principal } from '@deskhand/core/model'
import { VERSION } from '../version.ts'
import { sendJson } from './body.ts'
import type { ServedDesktop } from './desktop.ts'
import type { Desktops } from './desktops.ts'

/** Clients need no token to ask for health: a flood of such requests costs the broker one look. */
const KEEP_MS = 500
const STANDING_MS = 2_000

/** Which desktops answer. */
export class Health {
  readonly #desktops: Desktops
  readonly #who: Principal
  #answers: Promise<boolean[]> = Promise.resolve([])
  #askedAt = -Infinity

  constructor(desktops: Desktops, who: Principal) {
    this.#desktops = desktops
    this.#who = who
  }

  look(): Promise<readonly boolean[]> {
    const now = performance.now()
    if (now - this.#askedAt < KEEP_MS) return this.#answers
    this.#askedAt = now
    const ask = this.#desktops.all().map((desktop) => desktop.invoke('info', {}, this.#who, { signal: AbortSignal.timeout(STANDING_MS) }))
    this.#answers = Promise.allSettled(ask).then((asked) => asked.map(({ status }) => status === 'fulfilled'))
    return this.#answers
  }
}

export function sendHealth(res: ServerResponse, desktops: readonly boolean[]): void {
  const ok = desktops.every(Boolean)
  sendJson(res, ok ? 200 : 503, { ok, version: VERSION, desktops: desktops.length })
}

/** How a desktop stands. One that ends just now, or hangs, is told with its error and holds up no other. */
export async function standing(desktop: ServedDesktop, who: Principal): Promise<object> {
  const { name } = desktop
  try {
    return { name, ...(await desktop.invoke('info', {}, who, { signal: AbortSignal.timeout(STANDING_MS) })) }
  } catch {
    const { code, message, next } = new DeskhandError('NO_BROKER', `the desktop ${name} does not answer: it ends just now, or it hangs`)
    return { name, error: { code, message, next } }
  }
}

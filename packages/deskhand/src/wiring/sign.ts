import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '@deskhand/core/errors'
import type { DesktopEvent, Point, TargetFacts } from '@deskhand/core/model'
import type { Session } from '@deskhand/core/session'
import type { Sign, SignState } from '@deskhand/driver-linux'
import type { Config } from '../config.ts'

/** After so long without an action the border goes. */
const LINGER_MS = 1_500
const MOST_CALLS = 100

/** Whether this desktop is to have a sign of what agents do. */
export const hasSign = ({ desktop: { kind, sign } }: Config): boolean => kind === 'host' && sign && process.platform === 'linux'

/** Shows on a person's own screen what agents do there, until the session ends; the reason where that cannot be shown. */
export async function showSign(session: Session, env: NodeJS.ProcessEnv): Promise<{ warning?: string; close(): void }> {
  try {
    const { Sign: XSign } = await import('@deskhand/driver-linux')
    const sign = await XSign.open(env)
    void follow(session, sign).finally(() => sign.close())
    return { close: () => sign.close() }
  } catch (thrown) {
    return { warning: `no sign on the screen shows what agents do: ${DeskhandError.from(thrown).message}`, close: () => {} }
  }
}

async function follow(session: Session, sign: Sign): Promise<void> {
  const desk = new Watched(session)
  let shown = 0
  const show = async (): Promise<void> => {
    const turn = ++shown
    const { state } = desk
    if (state === 'idle') await sleep(LINGER_MS)
    if (turn === shown) await sign.show(state, state === 'paused' ? undefined : desk.at)
  }
  for await (const event of session.events.subscribe()) if (desk.take(event)) void show().catch(() => {})
}

/** What the feed tells, as far as a border can show it. */
class Watched {
  readonly #targets = new Map<string, Point | undefined>()
  readonly #acting = new Set<string>()
  readonly #waiting = new Set<string>()
  #isHeld: boolean
  #isTaken: boolean
  at: Point | undefined

  constructor({ state: { stopped, paused, human } }: Session) {
    this.#isHeld = stopped || paused
    this.#isTaken = human.since !== undefined
  }

  get state(): SignState {
    if (this.#isHeld || this.#isTaken) return 'paused'
    return this.#waiting.size > 0 ? 'waiting' : this.#acting.size > 0 ? 'acting' : 'idle'
  }

  /** Whether it changes what is shown. */
  take(event: DesktopEvent): boolean {
    switch (event.type) {
      case 'control':
        this.#isHeld = event.stopped || event.paused
        return true
      case 'human':
        this.#isTaken = event.human.since !== undefined
        return true
      case 'approval':
        this.#waiting[event.state === 'answered' || event.state === 'void' ? 'delete' : 'add'](event.approval.id)
        if (event.state === 'asked') this.at = placeOf(event.approval.targets)
        return true
      case 'journal':
        return this.#entry(event.entry)
      default:
        return false
    }
  }

  #entry(entry: Extract<DesktopEvent, { type: 'journal' }>['entry']): boolean {
    if (entry.type === 'decided') {
      this.#targets.set(entry.op, placeOf(entry.targets))
      // A call that was refused has no end of its own.
      const [oldest = ''] = this.#targets.keys()
      if (this.#targets.size > MOST_CALLS) this.#targets.delete(oldest)
    }
    if (entry.type === 'acting') {
      this.#acting.add(entry.op)
      this.at = this.#targets.get(entry.op)
    }
    if (entry.type !== 'done') return entry.type === 'acting'
    this.#targets.delete(entry.op)
    return this.#acting.delete(entry.op)
  }
}

function placeOf(targets: readonly TargetFacts[]): Point | undefined {
  const [first] = targets
  const bounds = first?.bounds
  return first?.at ?? (bounds && { x: bounds.x + bounds.w / 2, y: bounds.y + bounds.h / 2 })
}

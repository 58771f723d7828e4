import { within, type Act } from '../driver/driver.ts'
import type { Principal, Result } from '../model/index.ts'
import type { Call } from './call.ts'

const REPLY_MS = 10_000

/** Runs code that the simulated desktop asks for, in the name of the agent that acted last, judged like any other call. */
export class HostRequests {
  readonly #act: Act
  readonly #call: (call: Call) => Promise<Result>
  readonly #lastActor: () => Principal | undefined
  #running = 0

  constructor(act: Act, call: (call: Call) => Promise<Result>, lastActor: () => Principal | undefined) {
    this.#act = act
    this.#call = call
    this.#lastActor = lastActor
  }

  /** Whether such code still runs and may change the desktop. */
  get isBusy(): boolean {
    return this.#running > 0
  }

  async run({ id, code }: { id: string; code: string }): Promise<void> {
    // Never in an operator's name: what runs may have been planted by an agent.
    const actor = this.#lastActor()
    const principal: Principal = actor?.role === 'agent' ? actor : { id: 'desktop', role: 'agent' }
    this.#running++
    try {
      const result = await this.#call({ tool: 'code.run', kind: 'code', args: { code }, principal })
      await this.#act.reply(id, result.error ?? result.data, within(REPLY_MS))
    } finally {
      this.#running--
    }
  }
}

import { within, type Act } from '../driver/driver.ts'
import type { Principal, Result } from '../model/index.ts'
import type { Call } from './call.ts'

const REPLY_MS = 10_000

/** Runs code that the simulated desktop asks for, in the name of the agent that acted last, judged like any other call. */
export class HostRequests {
  readonly #act: Act
  readonly #call: (call: Call) => Promise<Result>
  #lastActor?: Principal
  #running = 0

  constructor(act: Act, call: (call: Call) => Promise<Result>) {
    this.#act = act
    this.#call = call
  }

  /** Whether such code still runs and may change the desktop. */
  get isBusy(): boolean {
    return this.#running > 0
  }

  /** Remembers who is about to send input. */
  inputBy(who: Principal): void {
    this.#lastActor = who
  }

  async run({ id, code }: { id: string; code: string }): Promise<void> {
    // Never in an operator's name: what runs may have been planted by an agent.
    const principal: Principal = this.#lastActor?.role === 'agent' ? this.#lastActor : { id: 'desktop', role: 'agent' }
    this.#running++
    try {
      const result = await this.#call({ tool: 'code.run', kind: 'code', args: { code }, principal })
      await this.#act.reply(id, result.error ?? result.data, within(REPLY_MS))
    } finally {
      this.#running--
    }
  }
}

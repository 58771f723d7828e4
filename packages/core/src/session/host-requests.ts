import { within, type Act } from '../driver/driver.ts'
import type { Principal, Result } from '../model/index.ts'
import type { Call } from './call.ts'

const REPLY_MS = 10_000

/**
 * Runs code that the simulated desktop asks for, judged like any other call. Which agent's input led to it is not known, so it is run in the name
 * of the one whom the rules give least.
 */
export class HostRequests {
  readonly #act: Act
  readonly #call: (call: Call) => Promise<Result>
  readonly #weakest: (call: Omit<Call, 'principal'>) => Principal | undefined
  #running = 0

  constructor(act: Act, call: (call: Call) => Promise<Result>, weakest: (call: Omit<Call, 'principal'>) => Principal | undefined) {
    this.#act = act
    this.#call = call
    this.#weakest = weakest
  }

  /** Whether such code still runs and may change the desktop. */
  get isBusy(): boolean {
    return this.#running > 0
  }

  async run({ id, code }: { id: string; code: string }): Promise<void> {
    // Never in an operator's name: what runs may have been planted by an agent.
    const one: Omit<Call, 'principal'> = { tool: 'code.run', kind: 'code', args: { code } }
    const principal = this.#weakest(one) ?? { id: 'desktop', role: 'agent' }
    this.#running++
    try {
      const result = await this.#call({ ...one, principal })
      await this.#act.reply(id, result.error ?? result.data, within(REPLY_MS))
    } finally {
      this.#running--
    }
  }
}

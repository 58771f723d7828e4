import { DeskhandError } from '../errors.ts'
import type { Journal } from '../journal/index.ts'
import type { Handlers, Principal, Result } from '../model/index.ts'
import type { Call } from './call.ts'
import type { Control } from './control.ts'
import type { Approvals } from './decide/approvals.ts'
import type { Events } from './events.ts'
import type { Human } from './human/human.ts'
import type { Operations } from './operations.ts'

interface OperatorNeeds {
  control: Control
  approvals: Approvals
  operations: Operations
  journal: Journal
  human: Human
  events: Events
  /** Takes the controls from every caller and has the driver release what is held. */
  release(): Promise<void>
  call(call: Call): Promise<Result>
}

type OperatorMethod = 'stop' | 'pause' | 'resume' | 'mode' | 'approvals.answer' | 'approvals.shown' | 'grants.revoke' | 'replay'

/** What only an operator may do. Each is written down, in this file alone; the API has made sure that an operator asks. */
export class Operator {
  readonly methods: Handlers<OperatorMethod>
  readonly #on: OperatorNeeds

  constructor(needs: OperatorNeeds) {
    this.#on = needs
    const { control, approvals, human } = needs
    this.methods = {
      stop: (_, { who }) => this.stop(who),
      pause: async (_, { who }) => {
        await this.record('pause', who)
        control.pause()
        return this.#told()
      },
      resume: async (_, { who }) => {
        await this.record('resume', who)
        control.resume()
        human.resume()
        return this.#told()
      },
      mode: async ({ mode, grants }, { who }) => {
        await this.record('mode', who, { from: control.mode, to: mode, grants })
        control.setMode(mode, grants)
        needs.events.publish({ type: 'mode', mode })
        return null
      },
      'approvals.answer': ({ id, ...answer }, { who, channel }) => approvals.answer(id, { ...answer, by: who, channel }),
      'approvals.shown': ({ id }) => approvals.shown(id),
      'grants.revoke': async ({ id }, { who }) => {
        const grant = approvals.revoke(id)
        await this.record('revoke', who, grant)
        return grant
      },
      /** Makes a recorded call again, on the same path and judged as the same agent's. */
      replay: async ({ seq, tool, kind, args = {}, as, dryRun }, { who }) => {
        if (!dryRun) await this.record('replay', who, { seq, tool, as })
        return needs.call({ tool, kind, args, principal: { id: as, role: 'agent' }, intent: `replay of entry ${seq}`, dryRun })
      },
    }
  }

  /** Ends everything between two input events and holds until an operator resumes. */
  async stop(by: Principal): Promise<null> {
    const { control, approvals, operations, release } = this.#on
    control.stop(by, new Date().toISOString())
    approvals.plans.clear()
    operations.abortAll(new DeskhandError('STOPPED', `${by.id} stopped this desktop`))
    this.#told()
    try {
      await release()
    } finally {
      await this.record('stop', by)
    }
    return null
  }

  /** Writes down what an operator did. It holds only once this is done. */
  async record(what: string, by: Principal, detail?: unknown): Promise<void> {
    await this.#on.journal.append({ type: 'operator', what, by, detail }, { durable: true })
  }

  #told(): null {
    const { events, control } = this.#on
    events.publish({ type: 'control', stopped: control.stopped, paused: control.paused })
    return null
  }
}

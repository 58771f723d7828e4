import { DeskhandError } from '../../errors.ts'
import type { Handlers, Principal } from '../../model/index.ts'
import type { Approvals } from './approvals.ts'

interface RelayedNeeds {
  approvals: Approvals
  /** Whether the policy trusts this agent's client to bring a person's answer. */
  trusts(who: Principal): boolean
  /** Writes down what was refused; the error comes back to be thrown. */
  reject(what: string, who: Principal, error: DeskhandError): Promise<DeskhandError>
}

/** Answers that a person gave at the agent's own client, to questions of that agent's calls. */
export function relayed({ approvals, trusts, reject }: RelayedNeeds): Handlers<'approvals.relay'> {
  return {
    'approvals.relay': async ({ id, allow, reason }, { who, channel }) => {
      const own = approvals.list().find((a) => a.id === id && a.principal.id === who.id && a.question === undefined)
      if (own === undefined) throw new DeskhandError('UNKNOWN_OP', `no question ${id} of ${who.id} waits`)
      if (!trusts(who))
        throw await reject('approvals.relay', who, new DeskhandError('UNAUTHORIZED', `the policy does not trust the client of ${who.id}`))
      approvals.shown(id)
      return approvals.answer(id, { allow, reason, scope: 'once', surface: 'client', by: who, channel })
    },
  }
}

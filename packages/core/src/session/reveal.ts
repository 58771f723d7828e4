import { DeskhandError } from '../errors.ts'
import type { Action } from '../model/index.ts'
import type { Job } from './carry-out.ts'
import type { Session } from './session.ts'

/** Brings targets into view that are scrolled out of it. Where that cannot be done, whoever waits for them says what is wrong. */
export async function reveal(s: Session, action: Action, job: Job): Promise<void> {
  if (action.do === 'window' || action.do === 'close' || !s.info.can['step:reveal'].ok) return
  for (const target of job.targets) {
    const { node, facts } = target
    const { key } = facts
    if (key === undefined || node?.states?.visible !== false || node.states.enabled === false) continue
    await s.withHands(job.call, job.signal, async (hands) => {
      await s.journal.append(
        { type: 'acting', op: job.op, steps: [`bring into view, to ${job.words([target])}`] },
        { durable: s.ports.durable },
      )
      await hands.step({ do: 'reveal', key }, {}, job.signal).catch(unable)
    })
    await s.tree.sync()
  }
}

function unable(thrown: unknown): void {
  if (!(thrown instanceof DeskhandError) || (thrown.code !== 'NOT_CAPABLE' && thrown.code !== 'NOT_ACTIONABLE')) throw thrown
}

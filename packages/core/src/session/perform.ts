import { DeskhandError } from '../errors.ts'
import { parseAction, READS, type Action, type Result } from '../model/index.ts'
import { agree, planConsent, putQuestion, type Waiting } from './asking.ts'
import { carryOut } from './carry-out.ts'
import { judge, plannedStep } from './deciding.ts'
import type { Progress } from './lease.ts'
import type { Call } from './ports.ts'
import { demanded, patient } from './proof.ts'
import { read } from './read.ts'
import { Record } from './record.ts'
import { rehearse } from './rehearse.ts'
import type { Session } from './session.ts'

/**
 * The one path of every call: parse, resolve, assess, decide, approve, re-check, act, verify, answer.
 * It never throws: a refusal is a result, and every result has its entries in the journal.
 */
export async function perform(s: Session, call: Call, op: string, signal: AbortSignal, waiting: Waiting): Promise<Result> {
  const record = new Record(s, call, op)
  const progress: Progress = { sent: 'none' }
  try {
    const action = parseCall(call)
    s.refuseWhileStopped(action)
    const targets = await s.resolve(action, call, signal)
    const resolvedAt = performance.now()
    const planned = plannedStep(s, call, action, targets)
    const { risk, decision, cover } = judge(s, call, action, targets, planned)
    await record.decided(action, targets, risk, decision, cover)
    if (call.dryRun) return record.rehearsed()
    if (decision.verdict === 'deny') throw new DeskhandError(decision.code ?? 'DENIED', decision.reason)

    if (action.do === 'ask') return await record.done(await putQuestion(s, record, action, signal, waiting))
    const asked = decision.verdict === 'ask_user' && cover === undefined
    const consent = asked ? (await agree(s, record, signal, waiting)).approval : await planConsent(s, record, cover)

    if (action.do === 'plan') return await record.done(await rehearse(s, action, record, signal, waiting))
    if (READS.has(action.do) || action.do === 'code' || action.do === 'simulate')
      return await record.done(await read(s, action, call, signal, decision.obligations.redact))
    await record.witness('before')
    const proven = decision.obligations.verify ? patient(action) : action
    const outcome = await carryOut(s, proven, { call, op, targets, resolvedAt, consent, signal, progress, words: (on) => record.words(on) })
    await record.witness('after')
    return await record.done(decision.obligations.verify ? demanded(s, action, call, targets, outcome) : outcome)
  } catch (thrown) {
    if (progress.sent !== 'none') await record.witness('after').catch(() => {})
    return record.failed(signal.aborted ? signal.reason : thrown, progress.sent)
  }
}

export function parseCall(call: Call): Action {
  const read = parseAction(call.kind, call.args)
  if (!read.ok) throw new DeskhandError('BAD_ARGS', `${call.tool}: ${read.problems.join('; ')}`)
  return read.action
}

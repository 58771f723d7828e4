import { DeskhandError } from '../errors.ts'
import { TRAITS, type Result } from '../model/index.ts'
import type { Call, Waiting } from './call.ts'
import type { CarryOut } from './carry-out.ts'
import type { Control } from './control.ts'
import type { Timing } from './counters.ts'
import type { Asked, Asker, Asking } from './decide/ask.ts'
import type { Decider } from './decide/decide.ts'
import { parseCall } from './parse-call.ts'
import type { Reader } from './read.ts'
import type { Begun, Decided, Recorder } from './record.ts'
import type { Rehearser } from './rehearse.ts'
import { mustBeExpected } from './see/expected.ts'
import type { Resolver } from './see/resolve.ts'

/** The steps of every call, in the order in which they are taken. */
export interface Steps {
  control: Control
  resolver: Resolver
  decider: Decider
  recorder: Recorder
  asker: Asker
  rehearser: Rehearser
  reader: Pick<Reader, 'read'>
  carryOut: CarryOut
}

/**
 * The one path of every call: parse, resolve, assess, decide, approve, re-check, act, verify, answer.
 * It never throws: a refusal is a result, and every result has its entries in the journal.
 */
export async function perform(
  steps: Steps,
  call: Call,
  op: string,
  signal: AbortSignal,
  waiting: Waiting,
  timing?: Timing,
): Promise<Result> {
  const { control, resolver, decider, recorder, asker, rehearser, reader, carryOut } = steps
  let reached: Begun | Decided = recorder.begin(call, op)
  let sent: Result['sent'] = 'none'
  let asked: Asked | undefined
  try {
    const action = parseCall(call)
    await control.mayAct(action, signal, call.lease)
    const targets = await resolver.resolve(action, call, signal)
    const resolved = resolver.moment(call.lease?.held)
    timing?.mark('resolve')
    timing?.found(targets[0]?.facts)
    await decider.lookAtClipboard(call, action, targets, signal)
    const verdict = decider.decide(call, action, targets)
    const { decision, consent } = verdict
    const decided = await recorder.decided(reached, action, targets, verdict)
    reached = decided
    timing?.mark('decide')
    if (decision.verdict !== 'deny') mustBeExpected(call.expects, targets)
    if (call.dryRun && decision.verdict !== 'deny') await resolver.mustBeThere(action)
    if (call.dryRun) return recorder.rehearsed(decided)
    if (decision.verdict === 'deny') throw new DeskhandError(decision.code ?? 'DENIED', decision.reason)

    const asking: Asking = { call, op, action, targets, question: (shown) => recorder.question(decided, shown), signal, waiting }
    if (action.do === 'ask') return await recorder.done(decided, await asker.putQuestion(action, asking))
    const asks = decision.verdict === 'ask_user' && consent === undefined
    asked = asks ? await asker.ask(asking).finally(() => timing?.mark('ask')) : undefined
    const agreed: Decided = { ...decided, cropHash: asked?.approval.crop }
    reached = agreed
    if (asked?.refused !== undefined) throw asked.refused
    const approval = asked?.approval ?? (await asker.consentOfPlan(op, consent))

    if (action.do === 'plan') return await recorder.done(agreed, await rehearser.rehearse(agreed, action, asking))
    if (!TRAITS[action.do].sends) {
      const read = await reader.read(agreed, signal)
      timing?.mark('read')
      return await recorder.done(agreed, read)
    }
    const outcome = await carryOut.run({ decided: agreed, resolved, consent: approval, signal, timing })
    sent = outcome.sent
    asker.forget(approval)
    // The answer says where the target was; a refusal does not count, so that the caller has to look again.
    if (outcome.failure === undefined) resolver.told(targets, call.principal)
    return await recorder.done(agreed, outcome)
  } catch (thrown) {
    return recorder.failed(reached, signal.aborted ? signal.reason : thrown, sent)
  } finally {
    asker.forget(asked?.approval)
  }
}

import { DeskhandError } from '../errors.ts'
import type { Action, Approval, UiNode } from '../model/index.ts'
import { act } from './act.ts'
import { closeApp } from './apps.ts'
import { faceOf, targetsOf, windowKeys, type Before } from './judge.ts'
import { counted, type Hands, type Progress } from './lease.ts'
import { follow } from './following.ts'
import type { Call } from './ports.ts'
import { observed, ownNode, stated } from './proof.ts'
import { checkAll, coverOf, isFresh, ready, recheck } from './ready.ts'
import { summary, type Outcome } from './record.ts'
import type { Resolved } from './resolve.ts'
import { reveal } from './reveal.ts'
import type { Session } from './session.ts'

/** How long an action waits for its target to become operable. */
const READY_MS = 1_000

export interface Job {
  call: Call
  op: string
  targets: Resolved[]
  /** When the targets were resolved, by the clock that only goes forward. */
  resolvedAt: number
  consent?: Approval
  /** The action on these targets, as the record may have it. */
  words(targets: readonly Resolved[]): string
  signal: AbortSignal
  /** How much has been sent by now, whatever becomes of the call. */
  progress: Progress
}

/** From the decision to the verified effect. Waits for a target that is disabled, hidden or covered, up to the call's deadline. */
export async function carryOut(s: Session, action: Action, job: Job): Promise<Outcome> {
  const text = await textOf(s, action, job)
  const deadline = 'timeoutMs' in action ? action.timeoutMs : undefined
  const patient = Date.now() + (deadline ?? s.human.settings.waitMs)
  let patience: number | undefined
  for (;;) {
    await s.human.mustLeave(patient - Date.now(), job.signal)
    patience ??= Date.now() + (deadline ?? READY_MS)
    await reveal(s, action, job)
    await ready(s, action, job, patience)
    const outcome = await s.withHands(job.call, job.signal, (hands) => attempt(s, action, job, hands, text))
    if (outcome === 'human') {
      patience = undefined
      continue
    }
    if (outcome !== 'covered') return outcome
    const left = patience - Date.now()
    if (left <= 0 || !(await s.tree.changed(left, job.signal))) {
      throw new DeskhandError(
        'NOT_ACTIONABLE',
        `${summary(
          action,
          job.targets.map((t) => t.facts),
        )}: ${await coverOf(s, job)} lies over it and would receive the event`,
      )
    }
  }
}

/**
 * One go under one lease, from re-check to verify. `covered`: nothing was sent, as the target would not have received it.
 * `human`: nothing was sent, as a person took the controls.
 */
async function attempt(
  s: Session,
  action: Action,
  job: Job,
  hands: Hands,
  text: string | undefined,
): Promise<Outcome | 'covered' | 'human'> {
  if (job.targets.length > 0 && !isFresh(action, job)) await s.tree.sync()
  const fresh = await recheck(s, action, job)
  const own = ownNode(s, job)
  const before: Before = { faces: facesBefore(s, action, job, own), windows: windowKeys(s.tree) }
  const generation = s.tree.generation
  await hands.ready()
  await s.journal.append(
    {
      type: 'acting',
      op: job.op,
      steps: [job.words(job.targets)],
      digest: job.consent?.digest,
    },
    { durable: s.ports.durable },
  )
  job.signal.throwIfAborted()
  s.lastActor = job.call.principal
  const held = counted(hands, job.progress)
  const check = async (key: string) => (await checkAll(s, [key]))[0]
  const sent =
    action.do === 'close'
      ? await closeApp(s, action, job, held)
      : await act(action, {
          hands: held,
          info: s.info,
          targets: job.targets,
          fresh,
          text,
          signal: job.signal,
          check,
          follow: () => follow(s, action, job),
        })
  if (sent.broken === 'hit' && sent.sent === 'none') return 'covered'
  if (sent.broken === 'human') {
    if (job.progress.sent === 'none') return 'human'
    throw s.human.refusal(`it was broken off after ${sent.units} events`)
  }
  if (sent.broken !== undefined) throw new DeskhandError('GUARD_BROKEN', `the ${sent.broken} was no longer the target's`)
  if (sent.sent === 'partial') throw new DeskhandError(s.stopped ? 'STOPPED' : 'LEASE_LOST', `only ${sent.units} events were sent`)
  const proof =
    'verify' in action && action.verify ? stated(s, action.verify, job, before) : observed(s, action, job, fresh[0], text, generation, sent)
  return { sent: sent.sent, via: sent.via, data: sent.detail, ...(await proof) }
}

async function textOf(s: Session, action: Action, job: Job): Promise<string | undefined> {
  if (action.do !== 'type') return undefined
  if (action.secret === undefined) return action.text
  if (s.ports.secret === undefined) throw new DeskhandError('UNKNOWN_SECRET', `no secret ${action.secret} is known here`)
  return s.ports.secret(action.secret, job.targets[0]?.facts)
}

/** What the action's own target and everything its condition speaks of look like before it. */
function facesBefore(s: Session, action: Action, job: Job, own: UiNode | undefined): Map<string, string> {
  const scene = s.scene(job.call)
  const named = 'verify' in action && action.verify !== undefined ? [...targetsOf(action.verify)].flatMap((t) => scene.find(t)) : []
  return new Map([...(own === undefined ? [] : [own]), ...named].map((n) => [n.key, faceOf(n)]))
}

import { DeskhandError } from '../errors.ts'
import type { ActionOf, Answer, Approval } from '../model/index.ts'
import type { Cover } from './cover.ts'
import type { Outcome, Record } from './record.ts'
import type { Session } from './session.ts'
import { crop } from './witness.ts'

/** Called with the question that an operation waits for, and without when it waits no more. */
export type Waiting = (approval?: string) => void
type Question = ReturnType<Record['question']>

/** Nobody answers sooner who looks at the picture. */
const PICTURE_MS = 30

/** Asks a person; resolves when they allow it. */
export async function agree(
  s: Session,
  record: Record,
  signal: AbortSignal,
  waiting: Waiting,
  about: Question = record.question(),
): Promise<{ approval: Approval; answer: Answer }> {
  const { approval, answer } = await asked(s, record, signal, waiting, about)
  const { allow, reason, by } = answer
  if (!allow) throw new DeskhandError('APPROVAL_DENIED', `${by.id} said no${reason === undefined ? '' : `: ${reason}`}`)
  return { approval, answer }
}

/** What a person agreed to with a plan, for the step that this call is; every use is written down. */
export async function planConsent(s: Session, { op }: Record, cover: Cover | undefined): Promise<Approval | undefined> {
  if (cover?.by !== 'plan' || cover.planned.consent === undefined) return undefined
  const { approval, by, consent } = cover.planned
  await s.journal.append({ type: 'answered', op, approval, allow: true, scope: 'plan', by, digest: consent.digest })
  return consent
}

/** Puts a script's question to a person; a question that they close has no answer. */
export async function putQuestion(
  s: Session,
  record: Record,
  action: ActionOf<'ask'>,
  signal: AbortSignal,
  waiting: Waiting,
): Promise<Outcome> {
  const patience = new AbortController()
  const late = (): void => patience.abort(new DeskhandError('APPROVAL_EXPIRED', 'nobody answered the question in time'))
  const timer = action.timeoutMs === undefined ? undefined : setTimeout(late, action.timeoutMs)
  try {
    const { answer } = await asked(s, record, AbortSignal.any([signal, patience.signal]), waiting, record.question())
    const given = answer.text ?? action.buttons?.[0] ?? action.default ?? ''
    return { sent: 'none', effect: 'none', data: { answer: answer.allow ? given : null } }
  } finally {
    clearTimeout(timer)
  }
}

async function asked(
  s: Session,
  record: Record,
  signal: AbortSignal,
  waiting: Waiting,
  about: Question,
): Promise<{ approval: Approval; answer: Answer }> {
  await record.call.hands?.rest()
  const { approval, answer: coming } = s.approvals.ask(about, signal)
  const picture = setTimeout(() => void pictured(s, record, approval).catch(() => {}), PICTURE_MS)
  picture.unref()
  waiting(approval.id)
  let answer: Answer
  try {
    answer = await coming
  } finally {
    clearTimeout(picture)
    waiting()
  }
  const { allow, scope, reason, by } = answer
  const { buttons } = approval.question ?? {}
  const button = allow && buttons !== undefined ? (answer.text ?? buttons[0]) : undefined
  const { op } = record
  await s.journal.append({ type: 'answered', op, approval: approval.id, allow, scope, reason, button, by, digest: approval.digest })
  return { approval, answer }
}

/** The question does not wait for its picture; one that comes too late was not seen. */
async function pictured(s: Session, record: Record, { id, targets, decision }: Approval): Promise<void> {
  const shown = await crop(s, record.call, targets, decision.obligations)
  if (shown !== undefined && s.approvals.show(id, shown)) record.evidence.cropHash = shown.id
}

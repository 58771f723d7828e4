import { DeskhandError } from '../errors.ts'
import { WINDOWS, type Action, type KeyEvent } from '../model/index.ts'
import type { Job } from './carry-out.ts'
import { judge } from './deciding.ts'
import { label } from './ready.ts'
import type { Resolved } from './resolve.ts'
import type { Session } from './session.ts'

/** How long an application may take to tell that the focus moved. */
const MOVE_MS = 40

/**
 * Keys go where the focus is. When it moved in the middle of a call, what has it now is judged like the target of a call of its own, and
 * what is not simply allowed ends the call: what was decided is what is touched.
 */
export async function follow(s: Session, action: Action, job: Job): Promise<readonly Resolved[]> {
  const before = job.targets[0]?.facts.key
  await s.tree.sync()
  if (s.tree.focus === before) await s.tree.changed(MOVE_MS, job.signal)
  const [now] = await s.resolve({ do: 'keys', events: [] }, job.call, job.signal)
  if (now === undefined || now.facts.key === before) return job.targets
  const { decision, cover } = judge(s, job.call, action, [now])
  const allowed = decision.verdict === 'allow' || cover !== undefined
  const secret = action.do === 'type' && (action.secret !== undefined || now.facts.states?.password === true)
  if (!allowed || secret) {
    job.progress.sent = 'partial'
    const why = allowed ? 'which needs a call of its own' : decision.reason
    throw new DeskhandError('GUARD_BROKEN', `the focus moved to ${label(now.facts)}: ${why}`, {
      next: 'Send what is left in a call of its own.',
    })
  }
  job.targets = [now]
  await s.journal.append(
    { type: 'acting', op: job.op, steps: [job.words([now])], digest: job.consent?.digest },
    { durable: s.ports.durable },
  )
  return job.targets
}

/** Where the events from `from` on have to be cut, because the focus may have moved: behind a chord that can move it. */
export function endOfKeys(events: readonly KeyEvent[], from: number, target: Resolved | undefined): number {
  const down = new Set<string>()
  let moves = !takesText(target)
  for (let i = from; i < events.length; i++) {
    const event = events[i]
    if (event?.type === 'down') {
      const named = [...event.key].length > 1
      if (named && !QUIET.has(event.key)) moves = true
      down.add(event.key)
    }
    if (event?.type === 'up') down.delete(event.key)
    if (moves && down.size === 0 && event?.type === 'up') return i + 1
  }
  return events.length
}

/** The same for a text; here the characters are the keys. */
export function endOfText(text: readonly string[], from: number, target: Resolved | undefined): number {
  if (!takesText(target)) return from + 1
  const mover = target?.facts.states?.multiline === true ? /\t/ : /[\t\n\r]/
  const move = text.findIndex((char, i) => i >= from && mover.test(char))
  return move === -1 ? text.length : move + 1
}

/** Keys with a name that leave the focus where it is. */
const QUIET: ReadonlySet<string> = new Set(['Shift', 'AltGraph', 'Backspace', 'Delete', 'Home', 'End', 'CapsLock', 'NumLock'])

/** Whether characters stay in the target. A window whose focus nobody knows has to be taken as a whole. */
function takesText(target: Resolved | undefined): boolean {
  if (target === undefined) return true
  const { role, states, key } = target.facts
  return key === undefined || WINDOWS.has(role) || states?.editable === true || TEXT.has(role)
}

const TEXT: ReadonlySet<string> = new Set(['textbox', 'searchbox', 'spinbutton', 'terminal', 'document'])

import type { ResolvedTarget, Result, TargetFacts } from '@deskhand/core/model'
import { clip } from '@deskhand/core/selector/quote'
import type { Step } from './recall.ts'

export interface Difference {
  expected: string
  found: string
}

/** Whether a call meets the element that it met then. */
export function otherTarget({ recorded: { decided } }: Step, result: Result): Difference | undefined {
  const [then] = decided.targets
  if (then === undefined || then.source === 'none') return undefined
  const now = result.resolvedTarget
  if (now === undefined) return result.error && { expected: recordedNode(then), found: `${result.error.code}: ${result.error.message}` }
  const same = then.role === now.role && then.name === now.name && then.app?.name === now.app
  return same ? undefined : { expected: recordedNode(then), found: foundNode(now) }
}

/** Whether it may be done as it was then. */
export function otherDecision({ recorded: { decided } }: Step, { decision }: Result): Difference | undefined {
  if (decision?.verdict !== 'deny' || decided.decision.verdict === 'deny') return undefined
  return { expected: decided.decision.verdict, found: `deny: ${decision.reason}` }
}

/** Whether it came to the same. */
export function otherOutcome({ recorded: { done } }: Step, result: Result): Difference | undefined {
  if (done === undefined) return undefined
  const now = outcome(result.status, result.error?.code, result.effect)
  const then = outcome(done.status, done.code, done.effect)
  const failed = done.status !== result.status || done.code !== result.error?.code
  const weaker = STRENGTH.indexOf(result.effect) < STRENGTH.indexOf(done.effect)
  return failed || weaker ? { expected: then, found: `${now}${result.error === undefined ? '' : `: ${result.error.message}`}` } : undefined
}

/** An effect that was seen then has to be seen again; one that could not be seen may be seen now. */
const STRENGTH: readonly string[] = ['no_effect', 'unverified', 'changed', 'confirmed']

const outcome = (status: string, code: string | undefined, effect: string): string => `${code ?? status}, ${effect}`

const recordedNode = (t: TargetFacts): string => node(t.role, t.name, t.window?.title, t.app?.name)
const foundNode = (t: ResolvedTarget): string => node(t.role, t.name, t.window, t.app)

function node(role: string, name: string | undefined, window: string | undefined, app: string | undefined): string {
  return `${role}${name === undefined ? '' : ` ${clip(name)}`}${window === undefined ? '' : ` in ${clip(window)}`}${app === undefined ? '' : ` of ${clip(app)}`}`
}

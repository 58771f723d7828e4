import { randomInt } from 'node:crypto'
import type { Approval, Scope } from '@deskhand/core/model'
import { grantable } from '@deskhand/core/session'

/** One of the answers that a question can be given. */
export type Choice =
  | { do: 'allow'; label: string; scope: Scope }
  | { do: 'deny'; label: string }
  | { do: 'button'; label: string; text: string }
  | { do: 'answer'; label: string }
  | { do: 'close'; label: string }

/** The answers to a question, in the order in which they stand on the screen. */
export function choicesOf(approval: Approval): Choice[] {
  const { question, steps } = approval
  if (question !== undefined) {
    const buttons = question.buttons?.map((text): Choice => ({ do: 'button', label: text, text }))
    return [...(buttons ?? [{ do: 'answer' as const, label: 'answer' }]), { do: 'close', label: 'close it' }]
  }
  const [session, app] = steps === undefined ? ['session', 'app'] : ['and unknown ones', 'and unknown ones in its apps']
  return [
    { do: 'allow', label: steps === undefined ? 'allow once' : 'allow these steps', scope: 'once' },
    ...(grantable(approval, 'session') ? [{ do: 'allow' as const, label: session, scope: 'session' as const }] : []),
    ...(grantable(approval, 'app') ? [{ do: 'allow' as const, label: app, scope: 'app' as const }] : []),
    { do: 'deny', label: 'deny' },
  ]
}

/** Letters that cannot be taken for one another and do nothing else here. */
export const LETTERS = 'acdefghmnprtuvwxyz'

/** As many codes, all different; the two letters of one differ, so that a key that is held down is none. */
export function newCodes(count: number): string[] {
  const codes = new Set<string>()
  while (codes.size < count) {
    const [a, b] = [randomInt(LETTERS.length), randomInt(LETTERS.length)]
    if (a !== b) codes.add(LETTERS.charAt(a) + LETTERS.charAt(b))
  }
  return [...codes]
}

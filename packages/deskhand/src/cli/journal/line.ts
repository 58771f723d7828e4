import type { JournalEntry, Principal, TargetFacts } from '@deskhand/core/model'
import { clip, visible } from '@deskhand/core/selector/quote'

/** An entry on one line, whatever text it holds. */
export function line(e: JournalEntry): string {
  return visible(`${String(e.seq).padStart(6)}  ${e.time}  ${e.type.padEnd(10)}  ${words(e)}`)
}

export function words(e: JournalEntry): string {
  switch (e.type) {
    case 'decided':
      return `${e.op}  ${e.principal.id} ${e.tool}${e.targets.map((t) => ` ${target(t)}`).join(' to')} -> ${e.decision.verdict}${e.dryRun ? ', rehearsed' : ''} (${e.risk.level}): ${e.decision.reason}`
    case 'answered':
      return `${e.op}  ${name(e.by)} ${e.allow ? `allowed it (${e.scope})` : 'denied it'}${how(e)}${e.reason === undefined ? '' : `: ${clip(e.reason)}`}`
    case 'acting':
      return `${e.op}  ${e.steps.join(', ')}`
    case 'done':
      return `${e.op}  ${e.status}${e.code === undefined ? '' : ` ${e.code}`}, sent ${e.sent}, ${e.effect}${e.via === undefined ? '' : ` via ${e.via}`}, ${e.ms} ms`
    case 'operator':
      return `${e.by.id} ${e.what}${e.detail === undefined ? '' : ` ${JSON.stringify(e.detail)}`}`
    case 'human':
      return `${e.pointerEvents} pointer and ${e.keyEvents} key events until ${e.to}`
    case 'rejected':
      return `${e.principal.id} ${e.tool}: ${e.code} ${e.message}`
    case 'checkpoint':
      return `${e.why} after ${e.entries} entries`
    default:
      return e satisfies never
  }
}

export const target = (t: TargetFacts): string => `${t.role}${t.name === undefined ? '' : ` ${clip(t.name, 60)}`}`

const name = (who: Principal | undefined): string => who?.id ?? 'nobody'

/** By which way an answer came, and whether a person had seen the question; entries of before do not tell. */
export function how({ channel, surface, shownAt }: Extract<JournalEntry, { type: 'answered' }>): string {
  if (channel === undefined) return ''
  return ` by ${surface === undefined ? channel : `${channel}, ${surface}`}, ${shownAt === undefined ? 'shown to no person' : `shown at ${shownAt}`}`
}

import { appWords, type JournalEntry } from '@deskhand/core/model'
import { clip, visible } from '@deskhand/core/selector/quote'
import { how, target, words } from './line.ts'

/** One operation, told from its decision to its end. */
export function story(entries: readonly JournalEntry[]): string[] {
  const told = entries.flatMap((e, i) => [
    `${String(e.seq).padStart(6)}  ${e.time.slice(11)}  ${e.type.padEnd(10)}  ${short(e, entries[i - 1])}`,
    ...more(e).map(([label, text]) => `${' '.repeat(34)}${label.padEnd(12)}${text}`),
  ])
  const last = entries.at(-1)
  if (last?.type === 'acting') told.push('        It was begun and never ended: what it sent is unknown.')
  return [...head(entries), ...told].map(visible)
}

function head(entries: readonly JournalEntry[]): string[] {
  const [first] = entries
  if (first === undefined || first.type !== 'decided') return []
  const on = first.targets.map(target).join(' to ')
  return [`${first.op}: ${first.tool}${on === '' ? '' : ` on ${on}`}, by ${first.principal.id}, ${first.time.slice(0, 10)}`]
}

function short(e: JournalEntry, before: JournalEntry | undefined): string {
  switch (e.type) {
    case 'decided':
      return `${e.decision.verdict}${e.dryRun ? ', as a rehearsal' : ''}${e.route === undefined ? '' : `, by ${e.route.by} instead`}. ${e.decision.reason}`
    case 'answered': {
      const waited = before === undefined ? '' : ` after ${((Date.parse(e.time) - Date.parse(before.time)) / 1000).toFixed(1)} s`
      return `${e.by?.id ?? 'nobody'} ${e.allow ? `allowed it (${e.scope})` : 'denied it'}${how(e)}${waited}${e.reason === undefined ? '' : `: ${clip(e.reason)}`}`
    }
    case 'acting':
      return e.steps.join(', ')
    case 'done':
      return `${e.status}${e.code === undefined ? '' : ` ${e.code}`}, sent ${e.sent}, effect ${e.effect}, ${e.ms} ms`
    case 'operator':
    case 'human':
    case 'rejected':
    case 'checkpoint':
      return words(e)
    default:
      return e satisfies never
  }
}

function more(e: JournalEntry): [label: string, text: string][] {
  const rows: [string, string | undefined][] = []
  if (e.type === 'decided') {
    const { rule } = e.decision
    rows.push(['intent', e.intent && clip(e.intent)], ['script', e.origin && `${e.origin.script}:${e.origin.line}`])
    for (const t of e.targets) {
      rows.push(
        ['element', `${target(t)} (found by ${t.source}, confidence ${t.confidence})`],
        ['selector', t.selector && clip(t.selector, 200)],
      )
      rows.push(
        ['path', t.path.map((p) => clip(p, 40)).join(' > ')],
        ['bounds', t.bounds && `x ${t.bounds.x}, y ${t.bounds.y}, ${t.bounds.w} by ${t.bounds.h}`],
      )
      rows.push(['app', t.app && `${appWords(t.app)}${t.app.pid === undefined ? '' : `, pid ${t.app.pid}`}`])
    }
    rows.push(['arguments', JSON.stringify(e.args)], ['risk', `${e.risk.level}, score ${e.risk.score}`])
    for (const f of e.risk.factors) rows.push(['', `+${f.weight} ${f.id}: ${f.detail}`])
    rows.push(
      ['rule', rule && `${rule.file}:${rule.line} (${rule.tier})`],
      ['on', `${e.setting.desktop}, driver ${e.setting.driver}, mode ${e.setting.mode}, ${e.policy}`],
    )
  }
  if (e.type === 'done') {
    rows.push(['way', e.via], ['verified', e.verification && `${e.verification.passed ? 'yes' : 'no'}: ${e.verification.details}`])
    rows.push(['evidence', e.evidence && JSON.stringify(e.evidence)])
  }
  return rows.filter((row): row is [string, string] => row[1] !== undefined && row[1] !== '')
}

import { appendFileSync } from 'node:fs'
import type { JournalEntry } from '@deskhand/core/model'
import { readEntries } from '@deskhand/core/journal'
import { decidedCalls, openPolicy, replayDecisions, type Setting } from '@deskhand/core/policy'

/** What a person would have been asked about this work on their own desktop under `supervised`. */
export interface Questions {
  /** Calls that act. */
  calls: number
  asked: string[]
  denied: string[]
  /** How many would have been asked or denied by what each call names alone, without what its events reach beside that. */
  named: number
}

/** Judges everything in a journal anew, as if it had been done on a person's own desktop. */
export async function questionsOf(journal: string): Promise<Questions> {
  const found: Questions = { calls: 0, asked: [], denied: [], named: 0 }
  for await (const entry of readEntries(journal, { types: ['decided'] })) {
    if (entry.type !== 'decided' || entry.principal.role !== 'agent' || entry.dryRun) continue
    const [judged, named] = [judge(entry), judge(asNamed(entry))]
    if (judged === undefined) continue
    found.calls++
    if (judged.verdict === 'ask_user') found.asked.push(judged.what)
    if (judged.verdict === 'deny') found.denied.push(judged.what)
    if (named?.verdict !== 'allow') found.named++
  }
  return found
}

/** Adds what this work would have asked to the file that `npm run bench -- questions` reads. */
export async function noteQuestions(work: string, journal: string): Promise<void> {
  const file = process.env['DESKHAND_QUESTIONS']
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ work, ...(await questionsOf(journal)) })}\n`)
}

type DecidedEntry = Extract<JournalEntry, { type: 'decided' }>

const policy = openPolicy({ preset: 'supervised' })

function judge(entry: DecidedEntry): { verdict: string; what: string } | undefined {
  const setting: Setting = { desktop: 'host', driver: 'linux', mode: 'allow_actual_input_full', now: Date.now() }
  const here = { ...entry, setting: { desktop: setting.desktop, driver: setting.driver, mode: setting.mode } }
  const [row] = replayDecisions(policy, decidedCalls([here]), { setting })
  if (row === undefined) return undefined
  const [target] = entry.targets
  const factors = row.risk.factors.map((f) => f.id).join(', ')
  return { verdict: row.now.verdict, what: `${entry.tool} ${target?.role ?? ''} ${target?.name ?? ''} (${factors})` }
}

const asNamed = (entry: DecidedEntry): DecidedEntry => ({
  ...entry,
  targets: entry.targets.filter((t) => t.reached === undefined),
  held: undefined,
})

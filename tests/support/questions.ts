import { readEntries } from '@deskhand/core/journal'
import { decidedCalls, openPolicy, replayDecisions, type Setting } from '@deskhand/core/policy'

/** What a person would have been asked about this work on their own desktop under `supervised`. */
export interface Questions {
  /** Calls that act. */
  calls: number
  asked: string[]
  denied: string[]
}

/** Judges everything in a journal anew, as if it had been done on a person's own desktop. */
export async function questionsOf(journal: string): Promise<Questions> {
  const policy = openPolicy({ preset: 'supervised' })
  const setting: Setting = { desktop: 'host', driver: 'linux', mode: 'allow_actual_input_full', now: Date.now() }
  const found: Questions = { calls: 0, asked: [], denied: [] }
  for await (const entry of readEntries(journal, { types: ['decided'] })) {
    if (entry.type !== 'decided' || entry.principal.role !== 'agent') continue
    const here = { ...entry, setting: { desktop: setting.desktop, driver: setting.driver, mode: setting.mode } }
    for (const { call, now, risk } of replayDecisions(policy, decidedCalls([here]), { setting })) {
      found.calls++
      const [target] = call.targets
      const what = `${call.tool} ${target?.role ?? ''} ${target?.name ?? ''} (${risk.factors.map((f) => f.id).join(', ')})`
      if (now.verdict === 'ask_user') found.asked.push(what)
      if (now.verdict === 'deny') found.denied.push(what)
    }
  }
  return found
}

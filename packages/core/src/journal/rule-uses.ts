import { Decision, type RuleUse } from '../model/index.ts'
import type { ReadableJournal } from './journal.ts'
import { parseLine } from './line.ts'
import { rawValue, TYPE } from './raw.ts'

/** How often each rule decided a call of this journal. What was counted once is not read again. */
export class RuleUses {
  readonly #journal: ReadableJournal
  readonly #uses = new Map<string, RuleUse>()
  #countedTo = 0

  constructor(journal: ReadableJournal) {
    this.#journal = journal
  }

  async read(signal: AbortSignal): Promise<RuleUse[]> {
    const from = this.#countedTo
    const fresh = new Map<string, RuleUse>()
    let newest = from
    reading: for await (const lines of this.#journal.backwards()) {
      signal.throwIfAborted()
      for (const raw of lines) {
        const seq = Number(SEQ.exec(raw.toString('latin1', 0, 40))?.[1] ?? 0)
        newest = Math.max(newest, seq)
        if (seq <= from) break reading
        if (rawValue(raw, TYPE) === 'decided') add(fresh, ruleOf(raw))
      }
    }
    // Another reader may have counted the same meanwhile.
    if (from === this.#countedTo) {
      for (const use of fresh.values()) add(this.#uses, use)
      this.#countedTo = newest
    }
    return [...this.#uses.values()]
  }
}

const SEQ = /"seq":(\d+)/

function add(uses: Map<string, RuleUse>, use: RuleUse | undefined): void {
  if (use === undefined) return
  const name = JSON.stringify([use.file, use.name ?? use.line])
  const known = uses.get(name)
  uses.set(name, { ...use, count: use.count + (known?.count ?? 0) })
}

function ruleOf(raw: Buffer): RuleUse | undefined {
  const line = parseLine(raw)
  if ('bad' in line || line.fields['dryRun'] === true) return undefined
  const rule = Decision.safeParse(line.fields['decision']).data?.rule
  return rule && { file: rule.file, line: rule.line, name: rule.name, count: 1 }
}

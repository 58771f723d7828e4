import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EntryBody, JournalEntry } from '@deskhand/core/model'
import { type JournalOptions, openJournal, type ReadableJournal, type Verification, verifyJournal } from '@deskhand/core/journal'

/** A journal's folder and, beside it, the folder of keys and anchors. */
export class Place {
  readonly root = mkdtempSync(join(tmpdir(), 'dh-journal-'))
  readonly dir = join(this.root, 'journal')
  readonly keyDir = join(this.root, 'keys')
  readonly desktop = 'urn:deskhand:virtual:test'

  open(options: Partial<JournalOptions> = {}): Promise<ReadableJournal> {
    return openJournal({ dir: this.dir, desktop: this.desktop, keyDir: this.keyDir, durability: 'real', ...options })
  }

  verify(): Promise<Verification> {
    return verifyJournal({ dir: this.dir, desktop: this.desktop, anchorDir: this.keyDir })
  }

  /** Opens, records so many calls, and closes. */
  async record(calls: number, options: Partial<JournalOptions> = {}): Promise<void> {
    const journal = await this.open(options)
    for (let i = 1; i <= calls; i++) await call(journal, `op-${i}`)
    await journal.close()
  }

  segments(): string[] {
    return readdirSync(this.dir)
      .filter((name) => name.endsWith('.jsonl'))
      .sort()
      .map((name) => join(this.dir, name))
  }

  /** The raw lines of all segments, newlines included. */
  lines(): string[] {
    return this.segments().flatMap((file) => readFileSync(file, 'utf8').split(/(?<=\n)/))
  }

  entries(): JournalEntry[] {
    return this.lines().map((line) => JSON.parse(line) as JournalEntry)
  }

  /** Rewrites the only segment. */
  edit(change: (lines: string[]) => string[]): void {
    const [file] = this.segments()
    if (file !== undefined) writeFileSync(file, change(this.lines()).join(''))
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true })
  }
}

export const decided = (op: string): EntryBody => ({
  type: 'decided',
  op,
  tool: 'ui.click',
  kind: 'click',
  setting: { desktop: 'virtual', driver: 'virtual', mode: 'simulation_only' },
  args: { target: { selector: 'role=button && name="Save"' } },
  principal: { id: 'agent', role: 'agent' },
  targets: [{ role: 'button', name: 'Save', path: ['Invoices', 'Save'], source: 'structure', confidence: 1, why: ['the only match'] }],
  risk: { level: 'low', score: 1, factors: [] },
  decision: { verdict: 'allow', reason: 'low risk', obligations: {} },
  policy: 'p1',
})

export const acting = (op: string): EntryBody => ({ type: 'acting', op, steps: ['press'], digest: 'd' })

export const done = (op: string): EntryBody => ({ type: 'done', op, status: 'success', sent: 'all', effect: 'confirmed', ms: 1 })

/** The entries of one call, in the order in which the session writes them. */
export async function call(journal: ReadableJournal, op: string): Promise<void> {
  await journal.append(decided(op))
  await journal.append(acting(op), { durable: true })
  await journal.append(done(op), { durable: true })
}

export async function collect<T>(items: AsyncIterable<T>, most = Infinity): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) if (all.push(item) >= most) break
  return all
}

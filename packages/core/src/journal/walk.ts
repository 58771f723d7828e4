import type { Anchor } from './anchor.ts'
import { checkpointKey } from './checkpoint.ts'
import type { Head } from './external-anchor.ts'
import { retiredBy } from './retention.ts'
import type { Last, Look, Problem, ProblemKind } from './diagnose.ts'
import { checkEvidence } from './evidence.ts'
import { GENESIS, isRecord, type ParsedLine, parseLine } from './line.ts'

export interface Verification {
  ok: boolean
  entries: number
  head: string
  /** The last entry before the first problem of the chain. */
  intactTo: number
  /** Up to this entry the anchor would show any change; 0 when it does not match. */
  anchoredTo: number
  /** The last entry that a good signature covers. */
  signedTo: number
  key?: string
  problems: Problem[]
  /** Intents without an outcome. */
  inFlight: { op: string; seq: number; time: string; sent: 'unknown' }[]
  /** Entries that a crash, or someone after one, left behind the anchor, as later openings say: only the chain speaks for them. */
  adopted: { from: number; to: number }[]
  /** The last entry that was removed by the limits on what is kept, as a signed checkpoint says. */
  retiredTo: number
  /** Up to this entry an external anchor would show any change. */
  externalTo?: number
  /** Bytes of an incomplete last line: a crash, or a write in progress. */
  tornBytes: number
}

interface Evidence {
  seq: number
  ids: string[]
}

interface Setup {
  dir: string
  desktop?: string
  anchor?: Anchor
  key?: string
  external?: Head
  /** The entry behind which the journal begins. */
  beginning?: { seq: number; hash: string }
}

/** The state of a verification, line by line. */
export class Walk {
  entries = 0
  last: Last = { seq: 0, hash: GENESIS, before: '', bad: false }
  #setup: Setup
  #problems: Problem[] = []
  #open = new Map<unknown, { seq: number; time: unknown }>()
  #raw: Buffer | undefined
  #closed = false
  #signedTo = 0
  #anchored = false
  #external: boolean | undefined
  #adopted: { from: number; to: number }[] = []
  /** Evidence that was removed by the limits, and what is missing until that is known. */
  #retired = new Set<string>()
  #missing: { seq: number; id: string }[] = []

  constructor(setup: Setup) {
    this.#setup = setup
    const { beginning } = setup
    if (beginning !== undefined) this.last = { seq: beginning.seq, hash: beginning.hash, before: '', bad: false }
  }

  /** Reports a fault once, though it breaks several links. */
  report(kind: ProblemKind, seq: number, detail: string): void {
    const ofChain = !BESIDE_THE_CHAIN.has(kind)
    const known = this.#problems.some(
      (p) => (ofChain && p.seq === seq && !BESIDE_THE_CHAIN.has(p.kind)) || (kind === 'other_key' && p.kind === kind),
    )
    if (!known && this.#problems.length < MOST_PROBLEMS) this.#problems.push({ kind, seq, detail })
  }

  /** Parses the body of the last line as well, when the link after it does not hold. */
  doubt(): void {
    const entry = this.#raw === undefined || this.last.bad ? undefined : parseLine(this.#raw)
    if (entry === undefined || !('bad' in entry)) return
    this.report('changed', this.last.seq, `Entry ${this.last.seq} cannot be read: ${entry.detail}.`)
    this.last.bad = true
  }

  /** Takes a line as entry `seq`; returns the evidence it names. */
  take({ raw, entry, hash }: Look, seq: number): Evidence | undefined {
    const bad = 'bad' in entry
    this.entries++
    this.last = { seq, hash, before: this.last.hash, bad }
    this.#raw = raw
    if (seq === this.#setup.anchor?.seq) this.#anchored = hash === this.#setup.anchor.head
    if (seq === this.#setup.external?.seq) this.#external = hash === this.#setup.external.head
    if (bad) return undefined
    if (seq === 1) this.#checkFirst(entry)
    if (this.#closed && entry.type !== 'checkpoint')
      this.report('inserted', seq, `Entry ${seq} was added after the journal had been closed.`)
    this.#closed = entry.type === 'checkpoint' && entry.fields.why === 'closed'
    switch (entry.type) {
      case 'acting':
        this.#open.set(entry.fields.op, { seq, time: entry.fields.time })
        return undefined
      case 'done':
        this.#open.delete(entry.fields.op)
        return evidenceOf(seq, entry)
      case 'checkpoint':
        this.#checkSignature(seq, raw, entry)
        this.#note(raw, entry)
    }
    return undefined
  }

  async checkEvidence({ seq, ids }: Evidence): Promise<void> {
    for (const id of ids) {
      const state = await checkEvidence(this.#setup.dir, id)
      if (state === 'missing') this.#missing.push({ seq, id })
      if (state === 'changed') this.report('evidence_changed', seq, `The evidence ${id} of entry ${seq} was changed.`)
    }
  }

  finish(tornBytes: number): Verification {
    const { anchor, key } = this.#setup
    const { seq, hash } = this.last
    if (anchor !== undefined && anchor.seq > seq) {
      const until = anchor.seq === seq + 1 ? `Entry ${anchor.seq} is` : `Entries ${seq + 1} to ${anchor.seq} are`
      this.report(seq === 0 ? 'emptied' : 'cut', seq + 1, `${until} gone: the anchor remembers entry ${anchor.seq}.`)
    } else if (anchor !== undefined && anchor.seq > 0 && !this.#anchored) {
      if (anchor.seq === seq) this.report('changed', seq, `Entry ${seq} is not the one that the anchor remembers.`)
      else this.report('rewritten', this.#signedTo + 1, `The entries up to ${anchor.seq} are not those that the anchor remembers.`)
    }
    const { external, beginning } = this.#setup
    if (external !== undefined && external.seq > seq)
      this.report('cut', seq + 1, `Entries up to ${external.seq} are gone: the external anchor remembers them.`)
    else if (external !== undefined && this.#external === false)
      this.report('rewritten', external.seq, `Entry ${external.seq} is not the one that the external anchor remembers.`)
    for (const { seq: at, id } of this.#missing)
      if (!this.#retired.has(nameOf(id))) this.report('evidence_missing', at, `The evidence ${id} of entry ${at} is gone.`)
    const first = Math.min(...this.#problems.filter((p) => !BESIDE_THE_CHAIN.has(p.kind)).map((p) => p.seq))
    const intactTo = Math.min(first - 1, seq)
    return {
      ok: this.#problems.length === 0,
      entries: this.entries,
      head: hash,
      intactTo,
      anchoredTo: anchor !== undefined && this.#anchored ? Math.min(anchor.seq, intactTo) : 0,
      signedTo: Math.min(this.#signedTo, intactTo),
      key,
      problems: this.#problems.sort((a, b) => a.seq - b.seq),
      inFlight: [...this.#open].map(([op, acting]) => ({ op: String(op), seq: acting.seq, time: String(acting.time), sent: 'unknown' })),
      adopted: this.#adopted,
      retiredTo: beginning?.seq ?? 0,
      externalTo: external === undefined ? undefined : this.#external === true ? Math.min(external.seq, intactTo) : 0,
      tornBytes,
    }
  }

  #checkFirst({ type, fields }: ParsedLine): void {
    if (type !== 'checkpoint') this.report('forged_checkpoint', 1, 'The journal does not begin with a signed checkpoint.')
    const named = isRecord(fields.detail) ? fields.detail.desktop : undefined
    if (this.#setup.desktop !== undefined && named !== this.#setup.desktop) {
      this.report('other_desktop', 1, `This is the record of ${String(named)}, not of ${this.#setup.desktop}.`)
    }
  }

  /** What a signed checkpoint says of entries before it. */
  #note(raw: Buffer, { fields }: ParsedLine): void {
    for (const name of retiredBy(raw, this.#setup.key)?.evidence ?? []) this.#retired.add(name)
    const adopted = isRecord(fields.detail) ? fields.detail.adopted : undefined
    if (!isRecord(adopted) || typeof adopted.from !== 'number' || typeof adopted.to !== 'number') return
    if (this.#adopted.length < MOST_PROBLEMS) this.#adopted.push({ from: adopted.from, to: adopted.to })
  }

  #checkSignature(seq: number, raw: Buffer, entry: ParsedLine): void {
    const signer = checkpointKey(raw, entry)
    this.#setup.key ??= signer
    if (signer === undefined) this.report('forged_checkpoint', seq, `The signature of checkpoint ${seq} is not right.`)
    else if (signer !== this.#setup.key) this.report('other_key', seq, `Checkpoint ${seq} was signed with another key.`)
    else this.#signedTo = seq
  }
}

const MOST_PROBLEMS = 100
const nameOf = (id: string): string => id.slice(id.indexOf(':') + 1)
const BESIDE_THE_CHAIN: ReadonlySet<ProblemKind> = new Set<ProblemKind>(['unanchored', 'evidence_changed', 'evidence_missing'])

function evidenceOf(seq: number, { fields }: ParsedLine): Evidence | undefined {
  if (!isRecord(fields.evidence)) return undefined
  const { screenshotHash, cropHash, before, after } = fields.evidence
  const seen = [before, after].flatMap((look) => (isRecord(look) ? [look.outline, look.picture] : []))
  const ids = [screenshotHash, cropHash, ...seen].filter((id) => typeof id === 'string')
  return ids.length > 0 ? { seq, ids } : undefined
}

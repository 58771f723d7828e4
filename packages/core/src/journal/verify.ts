import { anchorPath, readAnchor } from './anchor.ts'
import { diagnose, follows, type Look } from './diagnose.ts'
import { hashLine, isRecord, parseHead, parseLine } from './line.ts'
import { type Line, Lines } from './lines.ts'
import { type ExternalPlace, readHead } from './external-anchor.ts'
import { beginningOf } from './retention.ts'
import { type Verification, Walk } from './walk.ts'

export interface VerifyOptions {
  dir: string
  /** The desktop that this must be the record of; without it, the one that the journal names. */
  desktop?: string
  /** Where the anchor lies; without it only the chain and the signatures are checked. */
  anchorDir?: string
  /** The public key that must have signed, where no anchor says so. */
  key?: string
  /** Where the head is kept a second time. */
  external?: ExternalPlace
  /** Called after every piece with the number of entries read. */
  progress?: (entries: number) => void
}

/** Reads a whole journal in bounded memory and reports every place where it was changed. */
export async function verifyJournal(options: VerifyOptions): Promise<Verification> {
  const { dir, anchorDir, progress } = options
  const desktop = options.desktop ?? (await desktopOf(dir))
  // Read before the entries: a writer at work only adds to what this anchor names.
  const anchor = anchorDir === undefined || desktop === undefined ? undefined : await readAnchor(anchorPath(anchorDir, desktop))
  const key = options.key ?? anchor?.key
  const external = options.external === undefined || desktop === undefined ? undefined : await readHead(options.external, desktop)
  const walk = new Walk({ dir, desktop, anchor, key, external, beginning: await beginningOf(dir, key) })
  if (anchorDir !== undefined && anchor === undefined) walk.report('unanchored', 0, `There is no anchor for this journal in ${anchorDir}.`)
  const anchoredSeq = anchor?.seq ?? 0
  const lines = new Lines(dir)
  try {
    for (;;) {
      if (lines.ready < 3) {
        progress?.(walk.entries)
        await lines.fill(3)
      }
      const line = lines.take()
      if (line === undefined) return walk.finish(lines.torn.length)
      const at = look(line, walk.last.seq < anchoredSeq)
      let seq = walk.last.seq + 1
      if (!follows(walk.last, at)) {
        walk.doubt()
        const [next, third] = [lines.peek(0), lines.peek(1)]
        const { problem, then, as } = diagnose(walk.last, at, next && look(next), third && look(third), anchor)
        walk.report(problem.kind, problem.seq, problem.detail)
        if (then === 'skip') continue
        seq = as
        if (then === 'swap' && next !== undefined) {
          lines.take()
          walk.take(look(next), seq++)
        }
      }
      const evidence = walk.take(at, seq)
      if (evidence !== undefined) await walk.checkEvidence(evidence)
    }
  } finally {
    await lines.close()
  }
}

/** The body of an entry that the anchor covers is parsed only where the walk needs it: the chain proves its bytes. */
function look({ raw }: Line, covered = false): Look {
  const head = covered ? parseHead(raw) : undefined
  return { raw, entry: head === undefined || READ_WHOLE.has(head.type) ? parseLine(raw) : head, hash: hashLine(raw) }
}

const READ_WHOLE: ReadonlySet<string> = new Set(['acting', 'done', 'checkpoint'])

async function desktopOf(dir: string): Promise<string | undefined> {
  const lines = new Lines(dir)
  try {
    await lines.fill(1)
    const line = lines.peek()
    const entry = line && parseLine(line.raw)
    if (entry === undefined || 'bad' in entry || !isRecord(entry.fields.detail)) return undefined
    const { desktop } = entry.fields.detail
    return typeof desktop === 'string' ? desktop : undefined
  } finally {
    await lines.close()
  }
}

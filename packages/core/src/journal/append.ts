import { realpath } from 'node:fs/promises'
import { sep } from 'node:path'
import { DeskhandError } from '../errors.ts'
import { type Anchor, AnchorFile, anchorPath, readAnchor } from './anchor.ts'
import { linesBackwards } from './backwards.ts'
import { ExternalAnchor, type ExternalPlace, readHead } from './external-anchor.ts'
import { Notifier } from '../notifier.ts'
import { makeFolder, makeKeyFolder, takeLock } from '../platform/index.ts'
import type { EntryBody } from '../model/index.ts'
import type { ReadableJournal } from './journal.ts'
import { loadSigner, type Signer } from './keys.ts'
import { fieldsJson, hashLine } from './line.ts'
import { first, followEntries, readEntries, readRaw } from './read.ts'
import { recover } from './recover.ts'
import { retire, type Retention, type Retired } from './retention.ts'
import { lastSeq } from './seek.ts'
import { listSegments } from './segments.ts'
import { Writer } from './writer.ts'

export interface JournalOptions {
  /** The journal's own folder. */
  dir: string
  /** The URN of the desktop that this is the record of. */
  desktop: string
  /** Holds the signing key; outside `dir`. */
  keyDir: string
  /** Holds the head anchor; outside `dir`. */
  anchorDir?: string
  /**
   * `real`: a durable append is on the disk, and anchored, before it resolves. `none`: only checkpoints are; a durable append is in the
   * file, any other a moment later.
   */
  durability?: 'real' | 'none'
  /** Where the head is kept a second time, beyond the reach of who can change journal and anchor. */
  external?: ExternalPlace
  /** What is kept, and for how long; everything for ever when left out. */
  retention?: Retention
  checkpointEvery?: number
  rotateBytes?: number
  /** Milliseconds since 1970. */
  clock?: () => number
}

/** Opens a desktop's journal for writing; there is one writer per folder. */
export async function openJournal(options: JournalOptions): Promise<ReadableJournal> {
  const { dir, desktop, keyDir, anchorDir = keyDir, durability = 'real' } = options
  const release: (() => Promise<void>)[] = []
  const letGo = async (): Promise<void> => {
    let failure: unknown
    for (const step of release.splice(0).reverse()) {
      await step().catch((error: unknown) => {
        failure ??= error
      })
    }
    if (failure !== undefined) throw failure
  }
  try {
    makeFolder(dir)
    for (const folder of [keyDir, anchorDir]) {
      makeKeyFolder(folder)
      await refuseInside(folder, dir)
    }
    const lock = await takeLock(dir, 'writer', `The journal in ${dir}`)
    release.push(async () => lock.release())
    const signer = await loadSigner(keyDir)
    const path = anchorPath(anchorDir, desktop)
    const { file } = await openAnchor(dir, path, signer)
    release.push(() => file.close())
    const external = options.external && new ExternalAnchor(options.external, signer)
    release.push(async () => external?.settled())
    if (options.external !== undefined) await mustNotBeRolledBack(dir, options.external, desktop, signer.key)
    const notifier = new Notifier()
    const clock = options.clock ?? Date.now
    const { retention } = options

    /** A writer behind the last whole entry; what a crash or a full disk left behind it is cut off. */
    const begin = async (): Promise<Writer> => {
      const tail = await recover(dir, (await readAnchor(path)) ?? (await openAnchor(dir, path, signer)).anchor)
      const begun = await Writer.open({
        dir,
        desktop,
        tail,
        signer,
        anchor: file,
        real: durability === 'real',
        checkpointEvery: options.checkpointEvery ?? 1000,
        rotateBytes: options.rotateBytes ?? rotateBytes(retention),
        clock,
        notifier,
        anchored: (seq, head) => external?.put({ desktop, seq, head, time: new Date(clock()).toISOString() }),
        rotated: () => tidy(),
      })
      const torn = tail.torn.length > 0 ? tail.torn : undefined
      await begun.checkpoint('opened', { desktop, durability, torn, adopted: tail.adopted }).catch(async (error: unknown) => {
        await begun.close()
        throw error
      })
      return begun
    }
    let tidying: Promise<void> = Promise.resolve()
    const tidy = (): void => {
      if (retention === undefined) return
      const state = (retired: Retired): Promise<number> => writer.checkpoint('rotated', { retired })
      tidying = tidying.then(() => retire(dir, retention, clock(), state)).catch(() => undefined)
    }
    let writer = await begin()
    release.push(() => tidying.then(() => writer.close()))
    tidy()

    let reviving: Promise<void> | undefined
    let triedAt = -Infinity
    /** Tries to go on after a failure, such as a full disk, at most once in a while. */
    const revive = async (failed: DeskhandError): Promise<void> => {
      if (closing !== undefined || (reviving === undefined && performance.now() - triedAt < REVIVE_MS)) throw failed
      triedAt = performance.now()
      reviving ??= begin()
        .then(async (next) => {
          const old = writer
          writer = next
          await old.close()
        })
        .finally(() => (reviving = undefined))
      await reviving.catch(() => {
        throw failed
      })
    }
    let closing: Promise<void> | undefined
    return {
      append: async (body, { durable = false } = {}) => {
        const json = fieldsJson(body, desktop)
        const isDurable = durable || isAnchored(body)
        const { failed } = writer
        if (failed !== undefined) await revive(failed)
        return writer.append(json, isDurable)
      },
      close: () => (closing ??= letGo().finally(() => notifier.close())),
      get seq() {
        return writer.written
      },
      get failed() {
        return writer.failed
      },
      async *entries({ after = 0, types, limit } = {}) {
        await writer.flush()
        yield* first(readEntries(dir, { fromSeq: after + 1, types }), limit)
      },
      async *backwards() {
        await writer.flush()
        yield* linesBackwards(dir)
      },
      follow: (after, signal) => followEntries(dir, after, notifier, () => writer.written, signal),
    }
  } catch (error) {
    await letGo().catch(() => undefined)
    if (error instanceof DeskhandError) throw error
    throw new DeskhandError('JOURNAL_FAILED', `The journal in ${dir} cannot be opened: ${String(error)}.`, { cause: error })
  }
}

/** How often a journal that failed is tried again. */
const REVIVE_MS = 1000

/** Refusals, answers and visits of a person are anchored at once: a cut that hides one is seen. */
const isAnchored = (body: EntryBody): boolean =>
  body.type === 'answered' ||
  body.type === 'rejected' ||
  body.type === 'human' ||
  (body.type === 'decided' && body.decision.verdict === 'deny')

const SEGMENT_BYTES = 64 * 1024 * 1024

/** Whole segments are removed, so a small limit needs small ones. */
const rotateBytes = (retention: Retention | undefined): number =>
  Math.min(SEGMENT_BYTES, Math.max(100_000, ((retention?.megabytes ?? Infinity) * 1_000_000) / 4))

/** Refuses to go on where the external anchor remembers more than, or something else than, what is here. */
async function mustNotBeRolledBack(dir: string, place: ExternalPlace, desktop: string, key: string): Promise<void> {
  const head = await readHead(place, desktop)
  if (head === undefined) return
  const known = { next: 'Find out why with: deskhand journal verify. After restoring a backup on purpose, move the external anchor away.' }
  if (head.key !== key) throw new DeskhandError('JOURNAL_BROKEN', `The external anchor of ${dir} was signed with another key.`, known)
  const last = await lastSeq(dir)
  if (head.seq > last)
    throw new DeskhandError(
      'JOURNAL_BROKEN',
      `The journal in ${dir} was rolled back: entry ${head.seq} was anchored, and it ends with ${last}.`,
      known,
    )
  for await (const raw of readRaw(dir, { fromSeq: head.seq, toSeq: head.seq }))
    if (hashLine(raw) !== head.head)
      throw new DeskhandError(
        'JOURNAL_BROKEN',
        `The journal in ${dir} was exchanged: entry ${head.seq} is not the one that was anchored.`,
        known,
      )
}

async function openAnchor(dir: string, path: string, signer: Signer): Promise<{ file: AnchorFile; anchor: Anchor }> {
  if ((await readAnchor(path)) === undefined && (await listSegments(dir)).length > 0) {
    throw new DeskhandError('JOURNAL_BROKEN', `The journal in ${dir} has no anchor in ${path}.`, {
      next: 'Restore the anchor, or move the journal away to begin a new one.',
    })
  }
  const opened = await AnchorFile.open(path, signer.key)
  if (opened.anchor.key === signer.key) return opened
  await opened.file.close()
  throw new DeskhandError('JOURNAL_BROKEN', `The journal in ${dir} was signed with another key than the present one.`, {
    next: 'Restore that key, or move the journal and its anchor away together to begin a new one.',
  })
}

async function refuseInside(folder: string, dir: string): Promise<void> {
  const [inner, outer] = [await realpath(folder), await realpath(dir)]
  if (inner === outer || inner.startsWith(outer + sep)) {
    throw new DeskhandError('BAD_CONFIG', `Keys and anchors must lie outside the journal's folder: ${folder} is inside ${dir}.`)
  }
}

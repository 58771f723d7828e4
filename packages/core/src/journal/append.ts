import { realpath } from 'node:fs/promises'
import { sep } from 'node:path'
import { DeskhandError } from '../errors.ts'
import { type Anchor, AnchorFile, anchorPath, readAnchor } from './anchor.ts'
import { linesBackwards } from './backwards.ts'
import { Notifier } from '../notifier.ts'
import { makeFolder, makeKeyFolder, takeLock } from '../platform/index.ts'
import type { ReadableJournal } from './journal.ts'
import { loadSigner, type Signer } from './keys.ts'
import { bodyJson } from './line.ts'
import { first, followEntries, readEntries } from './read.ts'
import { recover } from './recover.ts'
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
    const { file, anchor } = await openAnchor(dir, anchorPath(anchorDir, desktop), signer)
    release.push(() => file.close())
    const tail = await recover(dir, anchor)
    const notifier = new Notifier()
    const writer = await Writer.open({
      dir,
      desktop,
      tail,
      signer,
      anchor: file,
      real: durability === 'real',
      checkpointEvery: options.checkpointEvery ?? 1000,
      rotateBytes: options.rotateBytes ?? 64 * 1024 * 1024,
      clock: options.clock ?? Date.now,
      notifier,
    })
    release.push(() => writer.close())
    const torn = tail.torn.length > 0 ? tail.torn : undefined
    await writer.checkpoint('opened', { desktop, durability, torn, adopted: tail.adopted })
    let closing: Promise<void> | undefined
    return {
      append: async (body, { durable = false } = {}) => writer.append(bodyJson(body, desktop), durable),
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

import { hash } from 'node:crypto'
import { writeSync } from 'node:fs'
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { DeskhandError } from '../errors.ts'
import { GENESIS } from './line.ts'
import { createWhole, desktopFile, hasCode } from '../platform/index.ts'
import { unreadable } from './segments.ts'

/** The head of a journal as remembered outside its folder. It never names an entry that was not on the disk before. */
export type Anchor = z.infer<typeof Anchor>
const Anchor = z.object({
  v: z.literal(1),
  seq: z.number().int().min(0),
  head: z.string(),
  /** The public key that signs this journal. */
  key: z.string(),
  /** Where the line of `seq` lies. */
  segment: z.number().int(),
  start: z.number().int(),
  end: z.number().int(),
})

export const anchorPath = (anchorDir: string, desktop: string): string => join(anchorDir, `${desktopFile(desktop)}.anchor`)

/** The newest anchor in the file; undefined when there is no file. One of its two slots may be torn, never both. */
export async function readAnchor(path: string): Promise<Anchor | undefined> {
  const file = await readFile(path).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined
    throw unreadable(path, error)
  })
  if (file === undefined) return undefined
  const slots = [readSlot(file.subarray(0, SLOT)), readSlot(file.subarray(SLOT))].filter((slot) => slot !== undefined)
  const newest = slots.sort((a, b) => b.seq - a.seq)[0]
  if (newest === undefined) {
    throw new DeskhandError('JOURNAL_BROKEN', `The anchor in ${path} cannot be read.`, {
      next: 'Restore it from a copy; if a newer Deskhand wrote it, use that version.',
    })
  }
  return newest
}

/** Keeps the anchor: two slots written in turn, so that a crash in the middle of one leaves the other. */
export class AnchorFile {
  #file: FileHandle
  #slot = 0

  private constructor(file: FileHandle) {
    this.#file = file
  }

  /** Opens the anchor; for a new journal the file is made, and durable, before the first entry. */
  static async open(path: string, key: string): Promise<{ file: AnchorFile; anchor: Anchor }> {
    const found = await readAnchor(path)
    const anchor: Anchor = found ?? { v: 1, seq: 0, head: GENESIS, key, segment: 1, start: 0, end: 0 }
    if (found === undefined) await createWhole(path, slot(anchor) + slot(anchor))
    const file = new AnchorFile(await open(path, 'r+'))
    file.write(anchor)
    file.write(anchor)
    return { file, anchor }
  }

  /** Survives a crash of this process; after `sync` also one of the machine. */
  write(anchor: Anchor): void {
    writeSync(this.#file.fd, slot(anchor), this.#slot * SLOT, 'latin1')
    this.#slot = 1 - this.#slot
  }

  sync(): Promise<void> {
    return this.#file.datasync()
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

const SLOT = 512

function slot(anchor: Anchor): string {
  const json = JSON.stringify(anchor)
  return `${`${hash('sha256', json)} ${json}`.padEnd(SLOT - 1)}\n`
}

function readSlot(bytes: Buffer): Anchor | undefined {
  const text = bytes.toString('latin1').trimEnd()
  const json = text.slice(65)
  if (json === '' || hash('sha256', json) !== text.slice(0, 64)) return undefined
  return Anchor.safeParse(JSON.parse(json)).data
}

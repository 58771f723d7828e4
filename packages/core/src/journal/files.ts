import { randomBytes } from 'node:crypto'
import { link, mkdir, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DeskhandError } from '../errors.ts'

/** Creates a file with its content in one durable step; of two that do it at once one wins, and nobody sees half of it. */
export async function createWhole(file: string, content: string | Uint8Array): Promise<void> {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}.draft`
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
    await link(draft, file).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error
    })
  } finally {
    await handle.close()
    await rm(draft, { force: true })
  }
  await syncFolder(dirname(file))
}

/** Makes created and removed names durable; systems that cannot open a folder do it by themselves. */
export async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir, 'r').catch(() => undefined)
  if (folder === undefined) return
  try {
    await folder.sync()
  } catch (error) {
    if (process.platform !== 'win32') throw error
  } finally {
    await folder.close()
  }
}

export const unreadable = (path: string, cause: unknown): DeskhandError =>
  new DeskhandError('JOURNAL_FAILED', `${path} cannot be read: ${String(cause)}.`, {
    cause,
    next: 'Run this as the user who owns the journal.',
  })

export const hasCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code

export async function makeFolder(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
}

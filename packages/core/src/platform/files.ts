import { hash, randomBytes } from 'node:crypto'
import { link, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Creates a file with its content in one durable step. Of two callers at once one wins; readers see all of it or none. */
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

export const hasCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code

/** A file name that no two desktops share. */
export const desktopFile = (desktop: string): string =>
  `${desktop.replaceAll(/[^A-Za-z0-9.-]+/g, '_').slice(0, 60)}-${hash('sha256', desktop).slice(0, 8)}`

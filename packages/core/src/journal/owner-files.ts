import { randomBytes } from 'node:crypto'
import { link, open, readFile, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DeskhandError } from '../errors.ts'
import { makeFolder, syncFolder } from './segments.ts'

/** Makes a folder for keys and anchors, and refuses one in which others could swap them. */
export async function makeKeyFolder(dir: string): Promise<void> {
  await makeFolder(dir)
  const { mode } = await stat(dir)
  if (process.platform !== 'win32' && (mode & 0o022) !== 0) {
    throw new DeskhandError('BAD_CONFIG', `Others can change files in ${dir}.`, { next: `Run: chmod 700 ${dir}` })
  }
}

/** Reads a key file after making sure that nobody else can. */
export async function readOwnerOnly(file: string): Promise<string> {
  const { mode } = await stat(file)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new DeskhandError('BAD_CONFIG', `Others can read or change ${file}.`, { next: `Make a new key, or run: chmod 600 ${file}` })
  }
  return readFile(file, 'utf8')
}

/** The file's text, made on first use. */
export async function readOrMake(file: string, make: () => string): Promise<string> {
  try {
    return await readOwnerOnly(file)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
  await createWhole(file, make())
  return readOwnerOnly(file)
}

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

export const hasCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code

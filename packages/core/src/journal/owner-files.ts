import { readFile, stat } from 'node:fs/promises'
import { DeskhandError } from '../errors.ts'
import { createWhole, hasCode, makeFolder } from './files.ts'

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

import { chmodSync, mkdirSync, statSync, type Stats, writeFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { DeskhandError } from '../errors.ts'
import { createWhole, hasCode } from './files.ts'

/** Permission bits mean nothing on Windows, where the user's folders are their owner's by inheritance. */
const HAS_MODES = process.platform !== 'win32'

/** Whether a file belongs to the user of this process. */
export const isOwn = ({ uid }: Pick<Stats, 'uid'>): boolean => process.getuid === undefined || uid === process.getuid()

/** Makes a folder that only its owner may enter; one that is there already stays as it is. */
export function makeFolder(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
}

/** Makes a folder that only its owner may enter, and closes one that is there already. */
export function makeOwnerFolder(dir: string): void {
  makeFolder(dir)
  chmodSync(dir, 0o700)
}

/** Makes a folder for keys and anchors, and refuses one in which others could swap them. */
export function makeKeyFolder(dir: string): void {
  makeFolder(dir)
  if (HAS_MODES && (statSync(dir).mode & 0o022) !== 0) {
    throw new DeskhandError('BAD_CONFIG', `Others can change files in ${dir}.`, { next: `Run: chmod 700 ${dir}` })
  }
}

/** Throws unless only its owner can read and change this file. */
export function checkOwnerOnly(file: string, { mode }: Pick<Stats, 'mode'>): void {
  if (!HAS_MODES || (mode & 0o077) === 0) return
  throw new DeskhandError('BAD_CONFIG', `${file} can be read by others.`, { next: `Make a new one, or run: chmod 600 ${file}` })
}

export function writeOwnerOnly(file: string, text: string, flag: 'w' | 'wx' = 'w'): void {
  writeFileSync(file, text, { mode: 0o600, flag })
}

/** Reads a key file after making sure that only its owner can. */
export async function readOwnerOnly(file: string): Promise<string> {
  checkOwnerOnly(file, await stat(file))
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

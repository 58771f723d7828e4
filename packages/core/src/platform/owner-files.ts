import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, statSync, type Stats, writeFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { win32 } from 'node:path'
import { DeskhandError } from '../errors.ts'
import { createWhole, hasCode } from './files.ts'

/** Permission bits mean nothing on Windows, where files have the rights of their folder. */
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
  if (HAS_MODES) chmodSync(dir, 0o700)
  else closeToOthers(dir)
}

const LOCAL_SYSTEM = '*S-1-5-18'

/** Ends what the folder inherits; its user and the system itself have all rights, in it and in everything that is made there. */
function closeToOthers(dir: string): void {
  const rights = [userInfo().username, LOCAL_SYSTEM].map((who) => `${who}:(OI)(CI)F`)
  const icacls = win32.join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'icacls.exe')
  const { status, stderr, error } = spawnSync(icacls, [dir, '/inheritance:r', '/grant:r', ...rights], {
    encoding: 'utf8',
    windowsHide: true,
  })
  if (status === 0) return
  throw new DeskhandError('BAD_CONFIG', `${dir} could not be closed to other users: ${error?.message ?? stderr.trim()}`, {
    next: 'Choose a folder of your own on a drive with access rights (NTFS) with DESKHAND_STATE.',
  })
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

import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, realpathSync, type Stats } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DeskhandError } from '../errors.ts'

/**
 * Reads a file of the admin tier. Refused when a user other than root and the one Deskhand runs as could have written or
 * replaced it: the file, or a folder on the way to it, also through links.
 */
export function readAdminFile(path: string): string {
  if (process.getuid === undefined)
    throw refuse(path, 'Windows does not tell Deskhand who may write it', 'Give these rules by group policy (docs/windows-enterprise.md).')
  let handle: number
  try {
    handle = openSync(path, constants.O_RDONLY)
  } catch (thrown) {
    throw new DeskhandError('BAD_POLICY', `${path}: cannot be read`, { next: 'Give Deskhand the right to read it.', cause: thrown })
  }
  try {
    checkOwner(path, fstatSync(handle), process.getuid())
    for (const folder of [...foldersTo(path), ...foldersTo(realpathSync(path))]) checkOwner(folder, lstatSync(folder), process.getuid())
    return readFileSync(handle, 'utf8')
  } finally {
    closeSync(handle)
  }
}

function foldersTo(path: string): string[] {
  const folders: string[] = []
  for (let at = dirname(resolve(path)); ; at = dirname(at)) {
    folders.push(at)
    if (at === dirname(at)) return folders
  }
}

function checkOwner(path: string, stat: Stats, self: number): void {
  if (stat.uid !== 0 && stat.uid !== self) throw refuse(path, `it belongs to user ${stat.uid}`)
  // in a sticky folder others can add files, but not replace this one
  const sticky = stat.isDirectory() && (stat.mode & 0o1000) !== 0
  if ((stat.mode & 0o022) !== 0 && !sticky && !stat.isSymbolicLink())
    throw refuse(path, `others can write it (mode ${(stat.mode & 0o777).toString(8)})`)
}

const CLOSE_IT = 'Let root own the file and its folders, and take the right to write from everyone else (chmod go-w).'

function refuse(path: string, why: string, next = CLOSE_IT): DeskhandError {
  return new DeskhandError('BAD_POLICY', `${path}: refused as a rule of the administrator: ${why}`, { next })
}

import { lstat, realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import { isBelow, isLent } from './lent.ts'

const ALIAS = '@project/'

/** Finds the script that an alias path names: the project's real root and the path inside it. Nothing outside of it is read. */
export async function findScript(
  projectRoot: string,
  alias: string,
  also: readonly string[] = [],
): Promise<{ root: string; file: string }> {
  const inside = alias.startsWith(ALIAS) ? alias.slice(ALIAS.length) : alias
  const parts = inside.split('/')
  if (inside.startsWith('@')) throw refused(alias, 'only @project/ is a known place')
  if (isAbsolute(inside) || inside.includes('\\') || /^[a-z]:/i.test(inside)) throw refused(alias, 'it must be relative to the project')
  if (parts.some((part) => part === '' || part === '.' || part === '..'))
    throw refused(alias, 'it must not contain empty parts, "." or ".."')
  if (!inside.endsWith('.py')) throw refused(alias, 'it must end in .py')

  const root = await realRoot(projectRoot)
  const real = await realpath(join(root, inside)).catch(() => undefined)
  if (real === undefined || real === root || !(await isLent(root, real, await hiddenIn(root, also))))
    throw refused(alias, 'there is no such file in the project, or it is private')
  const place = relative(root, real)
  if (!(await lstat(join(root, place))).isFile()) throw refused(alias, 'it is not a regular file')
  return { root, file: place.split(sep).join('/') }
}

/** What the kernel shows of processes and devices. */
const KERNEL = ['/proc', '/sys', '/dev']

/** The real path of the folder to lend; the root of the file system is refused. */
export async function realRoot(projectRoot: string): Promise<string> {
  const root = await realpath(projectRoot).catch(() => undefined)
  const isFolder = root !== undefined && (await stat(root)).isDirectory()
  if (!isFolder) throw new DeskhandError('BAD_CONFIG', `The project root ${projectRoot} is not a folder.`)
  if (root === join(root, '..')) throw new DeskhandError('BAD_CONFIG', 'The project root must not be the root of the file system.')
  if (isBelow(root, KERNEL)) throw new DeskhandError('BAD_CONFIG', `The project root must not lie in ${root}.`)
  return root
}

/** The real paths inside the project that no script may read: Deskhand's own state. */
export async function hiddenIn(root: string, also: readonly string[]): Promise<string[]> {
  const real = await Promise.all(also.map((path) => realpath(path).catch(() => undefined)))
  const hidden = real.filter((path) => path !== undefined)
  if (isBelow(root, hidden)) throw new DeskhandError('BAD_CONFIG', `The project root ${root} is Deskhand's own.`)
  return hidden.filter((path) => isBelow(path, [root]))
}

function refused(alias: string, why: string): DeskhandError {
  return new DeskhandError('BAD_ARGS', `file ${JSON.stringify(alias)} cannot be run: ${why}.`, {
    next: 'Name a .py file inside the project, like @project/scripts/foo.py.',
  })
}

import type { Stats } from 'node:fs'
import { lstat, readdir, readlink } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'

export const isBelow = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => path === folder || path.startsWith(folder + sep))

/**
 * What of a project is never lent, whatever leads to it: names that begin with a dot, what its owner alone may read, and files that have a
 * second name, which may lie anywhere.
 */
export function isPrivate(name: string, entry: Pick<Stats, 'mode' | 'nlink' | 'isFile'>): boolean {
  const ownerOnly = process.platform !== 'win32' && (entry.mode & 0o044) === 0
  return name.startsWith('.') || ownerOnly || (entry.nlink > 1 && entry.isFile())
}

/** Whether a real path inside the project may be lent: itself and every folder on the way to it. */
export async function isLent(root: string, real: string, hidden: readonly string[]): Promise<boolean> {
  if (real === root) return true
  if (!real.startsWith(root + sep) || isBelow(real, hidden)) return false
  let at = root
  for (const name of relative(root, real).split(sep)) {
    at = join(at, name)
    const entry = await lstat(at)
    if (entry.isSymbolicLink() || isPrivate(name, entry)) return false
  }
  return true
}

/** One thing to show in a jail, by its path inside the project. */
export type Shown = { at: string; as: 'all' | 'folder' } | { at: string; as: 'link'; to: string }

const MOST_ENTRIES = 50_000
const MOST_SHOWN = 2_000

/** The project without what is private, as few parts as possible: a folder that holds nothing private is shown whole. */
export async function shownParts(root: string, hidden: readonly string[]): Promise<Shown[]> {
  let entries = 0
  const found = await walk(root, '')
  if (found.parts.length > MOST_SHOWN) throw tooLarge(root)
  return found.isWhole ? [{ at: '', as: 'all' }] : [{ at: '', as: 'folder' }, ...found.parts]

  async function walk(folder: string, at: string): Promise<{ isWhole: boolean; parts: Shown[] }> {
    const parts: Shown[] = []
    let isWhole = true
    for (const item of await readdir(folder, { withFileTypes: true })) {
      if (++entries > MOST_ENTRIES) throw tooLarge(root)
      const path = join(folder, item.name)
      const place = at === '' ? item.name : `${at}/${item.name}`
      const entry = await lstat(path).catch(() => undefined)
      const isUsual = entry?.isFile() === true || entry?.isDirectory() === true
      if (item.isSymbolicLink() && !item.name.startsWith('.')) {
        parts.push({ at: place, as: 'link', to: await readlink(path) })
      } else if (entry === undefined || !isUsual || isPrivate(item.name, entry) || isBelow(path, hidden)) isWhole = false
      else if (entry.isDirectory()) {
        const inner = await walk(path, place)
        isWhole &&= inner.isWhole
        if (inner.isWhole) parts.push({ at: place, as: 'all' })
        else parts.push({ at: place, as: 'folder' }, ...inner.parts)
      } else parts.push({ at: place, as: 'all' })
    }
    return { isWhole, parts }
  }
}

const tooLarge = (root: string): DeskhandError =>
  new DeskhandError('BAD_CONFIG', `The project ${root} has too many files to lend it without what is private in it.`, {
    next: 'Name a smaller folder as project under [python] in deskhand.toml.',
  })

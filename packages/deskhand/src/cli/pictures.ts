import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Result } from '@deskhand/core/model'

const KEEP = 20

/** Writes the pictures of an answer into a folder that only the owner reads, and says where: a shell shows none. The oldest make room. */
export function keepPictures({ images = [] }: Result): string[] {
  if (images.length === 0) return []
  const folder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'deskhand', 'pictures')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const lines = images.map(({ id, mimeType, width, height, data }) => {
    const file = join(folder, `${id}.${mimeType.replace('image/', '')}`)
    writeFileSync(file, data, { mode: 0o600 })
    return `picture: ${file} (${width}x${height})`
  })
  const byAge = readdirSync(folder).toSorted((a, b) => statSync(join(folder, b)).mtimeMs - statSync(join(folder, a)).mtimeMs)
  for (const old of byAge.slice(KEEP)) rmSync(join(folder, old), { force: true })
  return lines
}

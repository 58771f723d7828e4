import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { chmod, lstat, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { DeskhandError } from '@deskhand/core/errors'

const HERE = dirname(fileURLToPath(import.meta.url))
const CELL = join(HERE, 'cell')
const PACKAGE = join(HERE, '..', '..', '..')
const FREEZE_MS = 120_000

export interface Snapshots {
  pyodide: { folder: string; version: string }
  /** Where a snapshot is looked for and kept, best place first. */
  folders?: string[]
  /** A snapshot that turned out not to start. */
  except?: string
  onProgress?: (message: string) => void
}

/** The memory of a started interpreter, as a file: found, or made once in the first folder that can be written. */
export async function findOrMakeSnapshot(options: Snapshots): Promise<string> {
  const name = `cpython-${options.pyodide.version}-${await fingerprint()}.snapshot`
  const folders = options.folders ?? defaultFolders()
  for (const path of folders.map((folder) => join(folder, name))) {
    if (path !== options.except && (await isOurs(path, 'file'))) return path
  }

  options.onProgress?.('Preparing Python for its first use; this takes a few seconds and happens once.')
  const failures: string[] = []
  for (const folder of folders) {
    try {
      return await make(options.pyodide.folder, folder, name)
    } catch (error) {
      failures.push(`${folder}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  throw new DeskhandError('PYTHON_EXEC_FAILED', `The interpreter's snapshot could not be made. ${failures.join('; ')}`)
}

/** The package itself when it is writable, then the user's cache, then a temporary folder of the user. */
function defaultFolders(): string[] {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  return [
    join(PACKAGE, 'dist', 'snapshot'),
    join(cache, 'deskhand', 'python'),
    join(tmpdir(), `deskhand-python-${process.getuid?.() ?? 'user'}`),
  ]
}

/** Changes whenever the frozen Python changes; the same from the sources and from the build. */
async function fingerprint(): Promise<string> {
  const text = await readFile(join(CELL, 'seal.mjs'), 'utf8')
  const frozen = /PREPARE = `([^`]*)`/.exec(text)?.[1] ?? text
  return createHash('sha256').update(frozen).digest('hex').slice(0, 12)
}

async function make(pyodide: string, folder: string, name: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o755 })
  if (!(await isOurs(folder, 'folder'))) throw new Error('the folder belongs to another user, or others can write to it')
  const draft = join(folder, `.${randomUUID()}`)
  try {
    await promisify(execFile)(process.execPath, [join(CELL, 'freeze.mjs'), pyodide, draft], { env: {}, cwd: folder, timeout: FREEZE_MS })
    await chmod(draft, 0o644)
    await rename(draft, join(folder, name))
    for (const old of await readdir(folder))
      if (/^cpython-.*\.snapshot$/.test(old) && old !== name) await rm(join(folder, old), { force: true })
  } catch (error) {
    throw new Error(lastLine(error), { cause: error })
  } finally {
    await rm(draft, { force: true })
  }
  return join(folder, name)
}

/** A snapshot is code: one that another user could have written is not used. */
async function isOurs(path: string, kind: 'file' | 'folder'): Promise<boolean> {
  const stat = await lstat(path).catch(() => undefined)
  if (!stat || !(kind === 'file' ? stat.isFile() : stat.isDirectory())) return false
  const me = process.getuid?.()
  return me === undefined || ((stat.uid === me || stat.uid === 0) && (stat.mode & 0o022) === 0)
}

function lastLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.trim().split('\n').at(-1)?.slice(0, 300) ?? text
}

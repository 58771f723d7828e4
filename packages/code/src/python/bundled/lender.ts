import { constants } from 'node:fs'
import { lstat, open, readdir, readlink, realpath, stat, type FileHandle } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { isBelow, isLent, isPrivate } from '../lent.ts'

const ON_WINDOWS = process.platform === 'win32'
const MAX_LINE = 64 * 1024
const MAX_READ = 1024 * 1024
const MAX_OPEN = 256
const READ_ONLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** The requests of a cell: one at a time, a line of JSON each. */
const Question = z.union([
  z.tuple([z.literal('stat'), z.string()]),
  z.tuple([z.literal('list'), z.string()]),
  z.tuple([z.literal('open'), z.string()]),
  z.tuple([z.literal('read'), z.number(), z.number().int().min(0), z.number().int().min(0)]),
  z.tuple([z.literal('close'), z.number()]),
])

/** Tags of an answer: the name of an error, JSON, or the bytes of a file. */
const FAILED = 0
const JSON_TEXT = 1
const BYTES = 2

/** A folder, and the real paths in it that are not lent, beside what is private in it. */
export interface Lent {
  root: string
  hidden: readonly string[]
}

/**
 * Shows one folder to a cell: only regular files and folders, only for reading, and a symbolic link only as the thing it leads to, if that
 * is inside the folder as well. The cell itself can open nothing; without a folder it sees an empty one.
 */
export async function lendFolder(socket: Socket, lent: () => Lent | undefined): Promise<void> {
  const handles = new Map<number, FileHandle>()
  let nextHandle = 1
  let rest = ''
  socket.on('error', () => {})
  try {
    for await (const chunk of socket) {
      rest += String(chunk)
      if (rest.length > MAX_LINE) return
      for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
        const line = rest.slice(0, end)
        rest = rest.slice(end + 1)
        socket.write(await answer(line))
      }
    }
  } catch {
    // The cell is gone.
  } finally {
    socket.destroy()
    await Promise.allSettled([...handles.values()].map((handle) => handle.close()))
  }

  async function answer(line: string): Promise<Buffer> {
    try {
      const reply = await reach(Question.parse(JSON.parse(line)))
      return Buffer.isBuffer(reply) ? frame(BYTES, reply) : frame(JSON_TEXT, Buffer.from(JSON.stringify(reply)))
    } catch (error) {
      return frame(FAILED, Buffer.from(codeOf(error)))
    }
  }

  async function reach(question: z.infer<typeof Question>): Promise<unknown> {
    switch (question[0]) {
      case 'stat': {
        if (isEmpty(question[1])) return { folder: true, size: 0, mtimeMs: 0, executable: false }
        const found = await stat(await place(question[1]))
        if (!found.isFile() && !found.isDirectory()) throw refusal('ENOENT')
        return { folder: found.isDirectory(), size: found.size, mtimeMs: found.mtimeMs, executable: (found.mode & 0o111) !== 0 }
      }
      case 'list':
        return isEmpty(question[1]) ? [] : listing(question[1])
      case 'open': {
        if (handles.size >= MAX_OPEN) throw refusal('EMFILE')
        const path = await place(question[1])
        const handle = await open(path, READ_ONLY)
        handles.set(nextHandle, handle)
        if (await isStill(path, handle)) return nextHandle++
        handles.delete(nextHandle)
        await handle.close()
        throw refusal('ENOENT')
      }
      case 'read': {
        const [, id, position, length] = question
        const buffer = Buffer.alloc(Math.min(length, MAX_READ))
        const { bytesRead } = await opened(id).read(buffer, 0, buffer.length, position)
        return buffer.subarray(0, bytesRead)
      }
      case 'close': {
        const handle = opened(question[1])
        handles.delete(question[1])
        await handle.close()
        return true
      }
      default:
        return question satisfies never
    }
  }

  function opened(id: number): FileHandle {
    const handle = handles.get(id)
    if (!handle) throw refusal('EBADF')
    return handle
  }

  async function listing(path: string): Promise<string[]> {
    const folder = await place(path)
    const entries = await readdir(folder, { withFileTypes: true })
    const shown = await Promise.all(
      entries.map(async (entry) => {
        const path = join(folder, entry.name)
        // Windows has ways to another folder that it does not tell as links.
        if (entry.isSymbolicLink() || ON_WINDOWS) {
          const isShown = !entry.name.startsWith('.') && (await leadsInside(path))
          if (entry.isSymbolicLink() || !isShown) return isShown
        }
        if (!entry.isFile() && !entry.isDirectory()) return false
        const found = await lstat(path).catch(() => undefined)
        return found !== undefined && !isPrivate(entry.name, found) && !isBelow(path, known().hidden)
      }),
    )
    return entries.map((entry) => entry.name).filter((_, i) => shown[i])
  }

  async function leadsInside(link: string): Promise<boolean> {
    try {
      const found = await stat(await lentPath(link))
      return found.isFile() || found.isDirectory()
    } catch {
      return false
    }
  }

  /** The real path of an entry that was asked for. Windows takes a backslash for another folder, and a colon for a drive or a second stream; Python knows neither. */
  async function place(asked: string): Promise<string> {
    if (ON_WINDOWS && /[\\:]/.test(asked)) throw refusal('ENOENT')
    return lentPath(join(top(), asked))
  }

  /** The real path of an entry, which must lie inside the folder. */
  async function lentPath(path: string): Promise<string> {
    const real = await realpath(path)
    if (!(await isLent(top(), real, known().hidden))) throw refusal('ENOENT')
    return real
  }

  /** Where nothing is lent, the top is an empty folder. */
  function isEmpty(path: string): boolean {
    return lent() === undefined && (path === '' || path === '.')
  }

  function top(): string {
    return known().root
  }

  function known(): Lent {
    const folder = lent()
    if (folder === undefined) throw refusal('ENOENT')
    return folder
  }
}

/** Whether what was opened is what was checked, and lent: a folder on the way may have been exchanged meanwhile. */
async function isStill(path: string, handle: FileHandle): Promise<boolean> {
  const found = await handle.stat()
  if (!found.isFile() || isPrivate(basename(path), found)) return false
  if (process.platform === 'linux') return (await readlink(`/proc/self/fd/${handle.fd}`)) === path
  const there = await stat(path)
  return there.ino === found.ino && there.dev === found.dev && (await realpath(path)) === path
}

function frame(tag: number, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt32LE(body.length, 0)
  head.writeUInt8(tag, 4)
  return Buffer.concat([head, body])
}

function refusal(code: string): Error {
  return Object.assign(new Error(code), { code })
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'EIO'
}

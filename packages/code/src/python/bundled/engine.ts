import { rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import type { Availability, Limits, PythonEngine, PythonJob, PythonRunResult } from '../engine.ts'
import { supervise } from '../supervise.ts'
import { openCell, type Cell } from './cell.ts'
import { findOrMakeSnapshot } from './snapshot.ts'

export interface BundledOptions {
  /** Keep one interpreter waiting, so that the next answer comes in tens of milliseconds. It costs about 200 MB. */
  prewarm?: boolean
  snapshotFolders?: string[]
  onProgress?: (message: string) => void
}

/** CPython in WebAssembly, in a sealed child process: it comes with Deskhand and runs the same everywhere. */
export function bundledPython(options: BundledOptions = {}): PythonEngine {
  const prewarm = options.prewarm ?? true
  const cells = new Set<Cell>()
  let spare: { cell: Promise<Cell>; limits: string } | undefined
  let snapshot: Promise<string> | undefined
  const closing = new AbortController()

  return {
    name: 'bundled',
    available,
    run,
    async warm(limits) {
      prepareSpare(limits)
      await spare?.cell
    },
    async close() {
      closing.abort()
      spare = undefined
      const ends = [...cells].map((cell) => new Promise((resolve) => cell.child.once('close', resolve)))
      for (const cell of cells) {
        cell.hold(true)
        cell.kill()
      }
      await Promise.all(ends)
    },
  }

  async function available(): Promise<Availability> {
    try {
      return { ok: true, version: describeVersion(findPyodide().version) }
    } catch {
      return { ok: false, reason: 'The package pyodide is not installed.', fix: 'Install Deskhand again, with its dependencies.' }
    }
  }

  async function run(job: PythonJob): Promise<PythonRunResult> {
    const startedAt = performance.now()
    const signal = AbortSignal.any([closing.signal, ...(job.signal ? [job.signal] : [])])
    try {
      const cell = await unlessAborted(takeCell(job.limits), signal)
      cell.hold(true)
      if (job.projectRoot !== undefined) cell.lend({ root: job.projectRoot, hidden: job.hidden })
      return await supervise(cell.child, { ...job, signal }, startedAt, () => cell.ending())
    } catch (error) {
      return { ok: false, error: DeskhandError.from(error).toJSON() }
    } finally {
      if (prewarm) prepareSpare(job.limits)
    }
  }

  async function takeCell(limits: Limits): Promise<Cell> {
    const taken = spare
    spare = undefined
    if (taken?.limits === JSON.stringify(limits)) {
      const cell = await taken.cell.catch(() => undefined)
      if (cell && cell.child.exitCode === null && cell.child.signalCode === null) return cell
    } else taken?.cell.then((cell) => cell.kill()).catch(() => {})
    return startCell(limits)
  }

  function prepareSpare(limits: Limits): void {
    if (spare || closing.signal.aborted) return
    const cell = startCell(limits)
    cell.then((it) => it.hold(false)).catch(() => {})
    spare = { cell, limits: JSON.stringify(limits) }
  }

  /** When a snapshot does not start, another one is made, once. */
  async function startCell(limits: Limits): Promise<Cell> {
    const pyodide = findPyodide()
    const find = (except?: string) =>
      findOrMakeSnapshot({ pyodide, except, folders: options.snapshotFolders, onProgress: options.onProgress })
    snapshot ??= find()
    const used = await snapshot
    try {
      return await openReady(limits, { pyodide: pyodide.folder, snapshot: used })
    } catch (error) {
      if (closing.signal.aborted) throw error
      await rm(used, { force: true }).catch(() => {})
      snapshot = find(used)
      return openReady(limits, { pyodide: pyodide.folder, snapshot: await snapshot })
    }
  }

  async function openReady(limits: Limits, places: { pyodide: string; snapshot: string }): Promise<Cell> {
    if (closing.signal.aborted) throw new DeskhandError('CANCELLED', 'This Python was closed.')
    const cell = openCell(limits, places)
    cells.add(cell)
    cell.child.once('close', () => cells.delete(cell))
    await cell.ready
    return cell
  }
}

/** The cell, unless the caller aborts first; a cell that comes too late is ended. */
async function unlessAborted(opening: Promise<Cell>, signal: AbortSignal): Promise<Cell> {
  const givenUp = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new DeskhandError('CANCELLED', 'The call was cancelled before the script started.'))
    if (signal.aborted) giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    opening.finally(() => signal.removeEventListener('abort', giveUp)).catch(() => {})
  })
  try {
    return await Promise.race([opening, givenUp])
  } catch (error) {
    opening.then((late) => late.kill()).catch(() => {})
    throw error
  }
}

/** Pyodide counts its releases after Python's: 314.0.7 carries Python 3.14. */
function describeVersion(pyodide: string): string {
  return `CPython ${pyodide[0]}.${pyodide.slice(1).split('.')[0]} in WebAssembly (pyodide ${pyodide})`
}

/** Where the interpreter's package lies, and its version. */
export function findPyodide(): { folder: string; version: string } {
  const require = createRequire(import.meta.url)
  const manifest = require.resolve('pyodide/package.json')
  const { version } = require(manifest) as { version: string }
  return { folder: dirname(manifest), version }
}

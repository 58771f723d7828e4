import { join, resolve } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import { readArgs } from './args.ts'
import { DEFAULT_LIMITS, type Availability, type Limits, type PythonEngine, type PythonJob, type PythonRunResult } from './engine.ts'
import { isBelow } from './lent.ts'
import { findScript, hiddenIn, realRoot } from './project.ts'
import { limitConcurrency } from './concurrency.ts'

export interface PythonOptions {
  /** The first one runs everything, unless `use` names another. There is no fallback to another engine. */
  engines: [PythonEngine, ...PythonEngine[]]
  use?: string
  /** The folder to lend; nothing is lent without one. */
  projectRoot?: string
  /** Folders that are never lent, though they may lie in the project: Deskhand's state. */
  hidden?: readonly string[]
  timeoutSeconds?: number
  limits?: Partial<Limits>
  /** Scripts that may run at the same time; more wait for their turn. */
  atOnce?: number
}

/** What holds for one call. */
export interface PythonCall {
  signal?: AbortSignal
  /** Ends it after so long, whatever `timeoutSeconds` says. */
  timeoutMs?: number
  /** Folders or files of the project, one of which `file` has to be or lie in. */
  paths?: readonly string[]
}

export interface Python {
  /** The `python.run` tool: `{ code?, file?, args? }`. Never throws. */
  run(args: unknown, call?: PythonCall): Promise<PythonRunResult>
  /** Gets an interpreter ready, so that the first answer comes as fast as the later ones. */
  warm(): Promise<void>
  /** Every engine with its version, or why it cannot run here. */
  engines(): Promise<({ name: string; inUse: boolean } & Availability)[]>
  close(): Promise<void>
}

export function createPython(options: PythonOptions): Python {
  const engine = options.engines.find((each) => each.name === (options.use ?? options.engines[0].name))
  if (!engine) throw new DeskhandError('BAD_CONFIG', `There is no Python engine called ${options.use}.`)
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const turn = limitConcurrency(options.atOnce ?? 4)

  return {
    async run(args, call = {}) {
      try {
        const job = await prepare(args, call)
        const cap = await engine.available()
        if (!cap.ok) throw new DeskhandError('PYTHON_NOT_FOUND', cap.reason, { next: cap.fix })
        return await turn(() => engine.run(job), call.signal)
      } catch (error) {
        return { ok: false, error: DeskhandError.from(error).toJSON() }
      }
    },
    warm: () => engine.warm(limits),
    engines: () =>
      Promise.all(options.engines.map(async (each) => ({ name: each.name, inUse: each === engine, ...(await each.available()) }))),
    close: async () => {
      await Promise.all(options.engines.map((each) => each.close()))
    },
  }

  async function prepare(
    sent: unknown,
    { signal, timeoutMs = (options.timeoutSeconds ?? 60) * 1000, paths }: PythonCall,
  ): Promise<PythonJob> {
    const { script, args } = readArgs(sent)
    const also = options.hidden ?? []
    const rest = { args, timeoutMs, limits, signal }
    const { projectRoot } = options
    if ('code' in script) {
      if (projectRoot === undefined) return { script, hidden: [], ...rest }
      const root = await realRoot(projectRoot)
      return { script, projectRoot: root, hidden: await hiddenIn(root, also), ...rest }
    }
    if (projectRoot === undefined)
      throw new DeskhandError('BAD_ARGS', `file ${JSON.stringify(script.alias)} cannot be run: no project is lent here.`, {
        next: 'Send the Python text as code, or ask the operator to name a folder as project under [python] in deskhand.toml.',
      })
    const { root, file } = await findScript(projectRoot, script.alias, also)
    if (
      paths !== undefined &&
      !isBelow(
        join(root, file),
        paths.map((path) => resolve(root, path)),
      )
    )
      throw new DeskhandError('DENIED', `allowed_execution_paths does not name ${script.alias}`, {
        next: `Run a file of ${paths.join(', ') || 'none'}.`,
      })
    return { script: { file }, projectRoot: root, hidden: await hiddenIn(root, also), ...rest }
  }
}

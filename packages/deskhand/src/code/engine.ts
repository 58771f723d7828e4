import { DeskhandError } from '@deskhand/core/errors'
import type { ActionOf } from '@deskhand/core/model'
import type { CodeEngine, CodeStage } from '@deskhand/core/session'
import type { Python } from '@deskhand/code/python'
import type { Vision } from '@deskhand/vision'

interface CodeOptions {
  /** The folder that Python may read; none without one. */
  projectRoot?: string
  /** Deskhand's state, which no code may read, though it may lie in the project. */
  stateDir?: string
  timeoutSeconds: number
  /** What scripts search pictures with. */
  vision?: Vision
  /** Whether code may run at all on this desktop, by its permission set. */
  allowed?: () => boolean
}

type Ran = Awaited<ReturnType<CodeEngine['run']>>

/** What runs code that the policy let through: Python in an engine of its own, and PyAutoGUI scripts without any Python. Either is loaded when it is first used. */
export class Code implements CodeEngine {
  readonly #options: CodeOptions
  readonly #pythons = new Map<string, Promise<Python>>()

  constructor(options: CodeOptions) {
    this.#options = options
  }

  async run(job: ActionOf<'code'>, on: CodeStage): Promise<Ran> {
    if (this.#options.allowed?.() === false) throw new DeskhandError('DENIED', 'can_execute_code is false; nothing was run')
    if (job.engine === 'pyautogui') return this.#script(job, on)
    const { code, file, args } = job
    const python = await this.#python(job.engine ?? 'bundled')
    const result = await python.run({ code, file, args }, { signal: on.signal })
    return { data: result, failure: result.ok ? undefined : DeskhandError.revive(result.error) }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pythons.values()].map(async (python) => (await python).close()))
  }

  #python(use: string): Promise<Python> {
    const python = this.#pythons.get(use) ?? this.#load(use)
    this.#pythons.set(use, python)
    return python
  }

  async #load(use: string): Promise<Python> {
    const { bundledPython, createPython, systemPython } = await import('@deskhand/code/python')
    const { projectRoot, stateDir, timeoutSeconds } = this.#options
    const hidden = stateDir === undefined ? [] : [stateDir]
    return createPython({ engines: [bundledPython(), systemPython()], use, projectRoot, hidden, timeoutSeconds })
  }

  async #script(job: ActionOf<'code'>, on: CodeStage): Promise<Ran> {
    const { runScript } = await import('./script.ts')
    const result = await runScript(job, on, this.#options.vision)
    if (result.status === 'ok') return { data: result }
    return { data: result, failure: result.error ? DeskhandError.revive(result.error) : new DeskhandError('SCRIPT_FAILED', result.detail) }
  }
}

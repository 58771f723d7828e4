import { DeskhandError } from '@deskhand/core/errors'
import type { ActionOf } from '@deskhand/core/model'
import type { CodeEngine, CodeStage } from '@deskhand/core/session'
import type { PauseSwitch } from '@deskhand/code/pyautogui'
import { bundledPython, createPython, systemPython, type Python } from '@deskhand/code/python'
import { runScript } from './script.ts'

interface CodeOptions {
  projectRoot: string
  /** Deskhand's state, which no code may read, though it may lie in the project. */
  stateDir?: string
  timeoutSeconds: number
  /** The operator's pause, under which scripts wait between two calls. */
  pauses?: PauseSwitch
  /** Whether code may run at all on this desktop, by its permission set. */
  allowed?: () => boolean
}

type Ran = Awaited<ReturnType<CodeEngine['run']>>

/** What runs code that the policy let through: Python in an engine of its own, and PyAutoGUI scripts without any Python. */
export class Code implements CodeEngine {
  readonly #options: CodeOptions
  readonly #pythons = new Map<string, Python>()

  constructor(options: CodeOptions) {
    this.#options = options
  }

  async run(job: ActionOf<'code'>, on: CodeStage): Promise<Ran> {
    if (this.#options.allowed?.() === false) throw new DeskhandError('DENIED', 'can_execute_code is false; nothing was run')
    if (job.engine === 'pyautogui') return this.#script(job, on)
    const { code, file, args } = job
    const result = await this.#python(job.engine ?? 'bundled').run({ code, file, args }, { signal: on.signal })
    return { data: result, failure: result.ok ? undefined : DeskhandError.revive(result.error) }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pythons.values()].map((p) => p.close()))
  }

  #python(use: string): Python {
    let python = this.#pythons.get(use)
    if (python === undefined)
      this.#pythons.set(
        use,
        (python = createPython({
          engines: [bundledPython(), systemPython()],
          use,
          projectRoot: this.#options.projectRoot,
          hidden: this.#options.stateDir === undefined ? [] : [this.#options.stateDir],
          timeoutSeconds: this.#options.timeoutSeconds,
        })),
      )
    return python
  }

  async #script(job: ActionOf<'code'>, on: CodeStage): Promise<Ran> {
    const result = await runScript(job, on, this.#options.pauses)
    if (result.status === 'ok') return { data: result }
    return { data: result, failure: result.error ? DeskhandError.revive(result.error) : new DeskhandError('SCRIPT_FAILED', result.detail) }
  }
}

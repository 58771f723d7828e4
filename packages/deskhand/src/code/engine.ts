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
  /** The permission set of a simulated desktop. */
  permissions?: () => CodePermissions | undefined
}

interface CodePermissions {
  can_execute_code: boolean
  allowed_execution_paths?: string[]
  max_execution_time_ms?: number
}

const CHECK_MS = 20_000

/** Python that compiles a text and tells what is wrong with it. A string of JSON is one of Python, too. */
const checking = (text: string): string => `
import json, warnings
warnings.simplefilter('ignore')
wrong = []
try:
    compile(${JSON.stringify(text)}, 'script', 'exec')
except SyntaxError as e:
    wrong = [{'line': e.lineno or 1, 'message': f'line {e.lineno or 1}: {e.msg}'}]
except Exception as e:
    wrong = [{'line': 1, 'message': f'line 1: {e}'}]
print(json.dumps(wrong))
`

type Ran = Awaited<ReturnType<CodeEngine['run']>>

/** What runs code that the policy let through: Python in an engine of its own, and PyAutoGUI scripts without any Python. Either is loaded when it is first used. */
export class Code implements CodeEngine {
  /** How long Python may take; counts from its next call on. */
  timeoutSeconds: number
  readonly #options: CodeOptions
  readonly #pythons = new Map<string, Promise<Python>>()

  constructor(options: CodeOptions) {
    this.#options = options
    this.timeoutSeconds = options.timeoutSeconds
  }

  async run(job: ActionOf<'code'>, on: CodeStage): Promise<Ran> {
    const may = this.#options.permissions?.()
    if (may?.can_execute_code === false) throw new DeskhandError('DENIED', 'can_execute_code is false; nothing was run')
    const mostMs = may?.max_execution_time_ms
    if (job.engine === 'pyautogui') return this.#script(job, on, mostMs)
    const { code, file, args } = job
    const python = await this.#python(job.engine ?? 'bundled')
    const timeoutMs = Math.min(this.timeoutSeconds * 1000, mostMs ?? Infinity)
    const result = await python.run({ code, file, args }, { signal: on.signal, timeoutMs, paths: may?.allowed_execution_paths })
    return { data: result, failure: result.ok ? undefined : DeskhandError.revive(result.error) }
  }

  /** Where the Python that would run a text cannot read it; nothing of the text runs. */
  async check(text: string, use: string): Promise<{ line: number; message: string }[]> {
    const python = await this.#python(use)
    const result = await python.run({ code: checking(text) }, { timeoutMs: CHECK_MS })
    if (!result.ok) throw DeskhandError.revive(result.error)
    return JSON.parse(result.stdout) as { line: number; message: string }[]
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
    const { projectRoot, stateDir } = this.#options
    const hidden = stateDir === undefined ? [] : [stateDir]
    return createPython({ engines: [bundledPython(), systemPython()], use, projectRoot, hidden })
  }

  async #script(job: ActionOf<'code'>, on: CodeStage, mostMs: number | undefined): Promise<Ran> {
    const { runScript } = await import('./script.ts')
    const { pictures, ...result } = await runScript(job, on, { vision: this.#options.vision, mostMs })
    if (result.status === 'ok') return { data: result, pictures }
    return {
      data: result,
      pictures,
      failure: result.error ? DeskhandError.revive(result.error) : new DeskhandError('SCRIPT_FAILED', result.detail),
    }
  }
}

import { type ChildProcess, fork } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { DeskhandError } from '@deskhand/core/errors'
import type { Ask, JobName, Jobs, Reply } from './jobs.ts'
import { isPressed } from './pressure.ts'

/** Built, also when this runs from its sources. */
const HOST = fileURLToPath(new URL('host.js', import.meta.url)).replace(/([/\\])src\1/, '$1dist$1')
const IDLE_MS = 60_000

interface Pending {
  done(answer: unknown): void
  fail(error: DeskhandError): void
}

/** Runs jobs in a process of their own, which starts with the first one and ends when nothing was asked for a while. */
export class VisionProcess {
  readonly #idleMs: number
  readonly #pending = new Map<number, Pending>()
  #child: ChildProcess | undefined
  #idle: NodeJS.Timeout | undefined
  #count = 0
  #closed = false

  constructor(idleMs = IDLE_MS) {
    this.#idleMs = idleMs
  }

  /** The process while it runs. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** How many jobs are under way. */
  get busy(): number {
    return this.#pending.size
  }

  /** A job that its caller gave up keeps the process busy until it is done; past the signal its answer is dropped. */
  ask<K extends JobName>(job: K, ask: Jobs[K]['ask'], signal: AbortSignal): Promise<Jobs[K]['answer']> {
    if (this.#closed) return Promise.reject(new DeskhandError('NOT_CAPABLE', 'recognition has ended with its desktop'))
    signal.throwIfAborted()
    clearTimeout(this.#idle)
    const child = (this.#child ??= this.#start())
    const id = ++this.#count
    return new Promise<Jobs[K]['answer']>((resolve, reject) => {
      const end = (): void => {
        this.#pending.delete(id)
        signal.removeEventListener('abort', give)
        if (this.#pending.size === 0) this.#rest()
      }
      const give = (): void => {
        end()
        reject(new DeskhandError('TIMEOUT', 'recognition took too long', { next: 'Ask for a smaller part of the screen, or wait longer.' }))
      }
      signal.addEventListener('abort', give)
      this.#pending.set(id, {
        done: (answer) => {
          end()
          resolve(answer as Jobs[K]['answer'])
        },
        fail: (error) => {
          end()
          reject(error)
        },
      })
      child.send({ id, job, ask } as Ask)
    })
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#idle)
    this.#end()
  }

  #start(): ChildProcess {
    const child = fork(HOST, [], { serialization: 'advanced', execArgv: [], env: {}, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
    let words = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (words = (words + text).slice(-2_000)))
    child.on('message', (reply: Reply) => {
      const pending = this.#pending.get(reply.id)
      if ('error' in reply) pending?.fail(DeskhandError.revive(reply.error))
      else pending?.done(reply.answer)
    })
    const gone = (why: string): void => {
      if (this.#child !== child) return
      this.#child = undefined
      const error = new DeskhandError(
        'NOT_CAPABLE',
        `recognition ended: ${why}${words === '' ? '' : `: ${words.trim().split('\n').at(-1)}`}`,
        {
          next: 'Try once more; the next call starts it anew.',
        },
      )
      for (const { fail } of [...this.#pending.values()]) fail(error)
    }
    child.once('error', (thrown) => gone(thrown.message))
    child.once('exit', (code, signal) => gone(signal ?? `exit code ${code}`))
    // The desktop and its session come first.
    if (child.pid !== undefined) lower(child.pid)
    child.unref()
    child.channel?.unref()
    return child
  }

  /** The last job is done: without another one the process ends. */
  #rest(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#end(), this.#idleMs).unref()
  }

  #end(): void {
    const child = this.#child
    this.#child = undefined
    child?.kill('SIGKILL')
    const error = new DeskhandError('NOT_CAPABLE', 'recognition was ended')
    for (const { fail } of [...this.#pending.values()]) fail(error)
  }
}

function lower(pid: number): void {
  try {
    setPriority(pid, isPressed() ? constants.priority.PRIORITY_LOW : constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It has ended already, which its exit tells.
  }
}

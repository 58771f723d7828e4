import { type ChildProcess, fork } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { DeskhandError } from '@deskhand/core/errors'
import { effortAt, type Effort } from './effort.ts'
import type { Ask, JobName, Jobs, Reply } from './jobs.ts'

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
  readonly #pressure: () => number
  readonly #pending = new Map<number, Pending>()
  #child: ChildProcess | undefined
  #idle: NodeJS.Timeout | undefined
  #count = 0
  #closed = false
  #priority: number | undefined

  /** `pressure`: the share of time in which something waits for a processor, in percent. */
  constructor({ idleMs = IDLE_MS, pressure = () => 0 }: { idleMs?: number; pressure?: () => number } = {}) {
    this.#idleMs = idleMs
    this.#pressure = pressure
  }

  /** How much the next job takes of the machine. */
  get effort(): Effort {
    return effortAt(this.#pressure())
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
    const { effort } = this
    const child = (this.#child ??= this.#start())
    this.#giveWay(child, effort.priority)
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
      child.send({ id, job, ask, effort } as Ask)
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
    this.#priority = undefined
    child.unref()
    child.channel?.unref()
    return child
  }

  /** The last job is done: without another one the process ends. */
  #rest(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#end(), this.#idleMs).unref()
  }

  /** The desktop and its session come first. */
  #giveWay({ pid }: ChildProcess, priority: number): void {
    if (pid === undefined || priority === this.#priority) return
    this.#priority = priority
    for (const thread of threadsOf(pid)) lower(thread, priority)
  }

  #end(): void {
    const child = this.#child
    this.#child = undefined
    child?.kill('SIGKILL')
    const error = new DeskhandError('NOT_CAPABLE', 'recognition was ended')
    for (const { fail } of [...this.#pending.values()]) fail(error)
  }
}

/** Linux counts the priority of each thread by itself. */
function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number)
  } catch {
    return [pid]
  }
}

function lower(thread: number, priority: number): void {
  try {
    setPriority(thread, priority)
  } catch {
    // It has ended already, or only an administrator may raise it again.
  }
}

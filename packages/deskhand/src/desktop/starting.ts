import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '@deskhand/core/errors'
import { type Part, said, startPart } from './part.ts'
import { type PartName, type SandboxRecord, updateRecord } from './record.ts'
import { markOf } from './environment.ts'
import { isolation } from './isolate.ts'
import type { Program } from './programs.ts'

export const takenDown = (id: string): DeskhandError => new DeskhandError('NO_DESKTOP', `the sandbox ${id} was taken down while it came up`)

/** Parts of a desktop that are being started: each is written down as soon as it runs, and watched until it is up. */
export class Starting {
  readonly record: SandboxRecord
  readonly program: (name: Program) => string
  readonly #stateDir: string
  readonly #signal: AbortSignal | undefined
  readonly #parts = new Map<PartName, Part>()
  #over = new AbortController()

  constructor(stateDir: string, record: SandboxRecord, program: (name: Program) => string, signal?: AbortSignal) {
    this.#stateDir = stateDir
    this.record = record
    this.program = program
    this.#signal = signal
  }

  save(): void {
    if (!updateRecord(this.#stateDir, this.record)) throw takenDown(this.record.id)
  }

  start(name: PartName, command: readonly string[], options: { env?: Record<string, string>; announces?: boolean } = {}): Part {
    const part = startPart(name, command, { ...this.record.env, ...options.env }, this.record.dir, options.announces ?? false)
    this.#parts.set(name, part)
    try {
      this.note(name, part.process)
    } catch (thrown) {
      part.end()
      throw thrown
    }
    return part
  }

  /** Writes down that this process is that part now. */
  note(name: PartName, process: Part['process']): void {
    const { record } = this
    record.parts = [...record.parts.filter((p) => p.name !== name), { name, ...process }]
    this.save()
  }

  /** The words before an application of this desktop: they mark it, and lock it up where that was asked for. */
  prefix(processes: 'own' | 'shared' = 'own'): string[] {
    const marked = [this.program('prlimit'), `--locks=${markOf(this.record.id).locks}`, '--']
    return this.record.isolated ? [...marked, ...isolation(this.program('bwrap'), this.record, processes)] : marked
  }

  /** Waits for the work, for the deadline, or for a part that ends where it should stay. */
  async within<T>(ms: number, work: () => Promise<T>): Promise<T> {
    const over = (this.#over = new AbortController())
    const late = async (): Promise<never> => {
      const end = performance.now() + ms
      for (;;) {
        await sleep(20, undefined, { signal: over.signal })
        this.#signal?.throwIfAborted()
        for (const part of this.#parts.values()) part.check()
        if (performance.now() > end)
          throw new DeskhandError(
            'TIMEOUT',
            `the desktop did not come up within ${ms} ms${[...this.#parts.keys()].map((n) => `\n${n}${said(this.record.dir, n)}`).join('')}`,
          )
      }
    }
    try {
      return await Promise.race([work(), late()])
    } finally {
      over.abort()
    }
  }

  /** How work that `within` watches waits for a moment: it does not outlive the watch. */
  async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#over.signal })
  }

  /** From now on this part may end. */
  release(name: PartName): void {
    this.#parts.delete(name)
  }
}

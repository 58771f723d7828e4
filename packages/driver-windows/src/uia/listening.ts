import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Events, and how each was answered when it was asked for. */
type Answers = readonly (readonly [event: string, answer: string])[]
type Told = { changed: true } | { answers: Answers }

/** Events of UI Automation: that something changed, not what. Where they do not come, windows are read again all the same. */
export class UiaListening {
  readonly #onChange: () => void
  #process: ChildProcess | undefined
  /** Told once when it listens. */
  onListening: (answers: Answers) => void = () => {}

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  /** Listens from now on. A process that ends is not started again. */
  start(): void {
    if (this.#process !== undefined) return
    const file = fileURLToPath(new URL(`./listener${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url))
    const child = fork(file, { stdio: 'ignore' })
    this.#process = child
    child.on('error', () => {})
    child.on('message', (told: Told) => ('changed' in told ? this.#onChange() : this.onListening(told.answers)))
    child.unref()
    child.channel?.unref()
  }

  close(): void {
    this.#process?.kill('SIGKILL')
  }
}

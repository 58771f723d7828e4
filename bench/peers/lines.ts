import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { createInterface, type Interface } from 'node:readline'

const PATIENCE_MS = 120_000

/** A process that answers one line of JSON with another. */
export class Lines {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #lines: AsyncIterator<string>
  readonly #reader: Interface
  #errors = ''

  constructor(command: string, args: readonly string[], env: NodeJS.ProcessEnv) {
    this.#child = spawn(command, args, { env, cwd: env['HOME'] })
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#errors = (this.#errors + text).slice(-2_000)))
    this.#child.stdin.on('error', () => {})
    this.#reader = createInterface({ input: this.#child.stdout })
    this.#lines = this.#reader[Symbol.asyncIterator]()
  }

  async ask<T>(question: object): Promise<T> {
    this.#child.stdin.write(`${JSON.stringify(question)}\n`)
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, fail) => {
      timer = setTimeout(() => fail(new Error(`no answer to ${JSON.stringify(question).slice(0, 100)}`)), PATIENCE_MS)
    })
    const { value, done } = await Promise.race([this.#lines.next(), late]).finally(() => clearTimeout(timer))
    if (done === true) throw new Error(`it ended: ${this.#errors}`)
    const answer = JSON.parse(value) as { ok: T; error?: string }
    if (answer.error !== undefined) throw new Error(answer.error)
    return answer.ok
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const gone = new Promise((done) => this.#child.once('exit', done))
    this.#child.kill('SIGKILL')
    await gone
  }
}

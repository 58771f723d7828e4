import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '@deskhand/core/errors'
import { byteRate, type Channel, LONGEST_MESSAGE, type Message } from './channel.ts'

export interface ChildOptions {
  command: readonly [string, ...string[]]
  env?: Readonly<Record<string, string>>
  cwd?: string
  /** The longest line that is taken. */
  maxBytes?: number
}

/** How long a server may take to end when its input is closed, and again after SIGTERM. */
const CLOSE_MS = 2000
const TAIL = 4000

/** What a server inherits: enough to be found and to run, and nothing that is secret. */
const INHERITED = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'SYSTEMROOT', 'USERPROFILE', 'APPDATA', 'TEMP']

/** An MCP server in a process of its own, a message per line. */
export class ChildChannel implements Channel {
  readonly ended: Promise<DeskhandError>
  readonly #child: ChildProcess
  readonly #gone: Promise<void>
  #resolve: (why: DeskhandError) => void = () => {}
  readonly #maxBytes: number
  #take: (message: Message) => void = () => {}
  #held: Buffer[] = []
  #size = 0
  #why: DeskhandError | undefined
  #words = ''
  readonly #rate = byteRate()
  #closing: Promise<void> | undefined

  constructor({ command: [program, ...args], env = {}, cwd, maxBytes = LONGEST_MESSAGE }: ChildOptions) {
    this.#maxBytes = maxBytes
    const inherited = Object.fromEntries(INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))
    // A group of its own, so that what the server starts can be ended with it and Ctrl+C does not end it first.
    const child = spawn(program, args, {
      env: { ...inherited, ...env },
      cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
    })
    this.#child = child
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk))
    child.stderr.setEncoding('utf8').on('data', (text: string) => this.#log(text))
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.on('error', () => {})
    this.ended = new Promise((resolve) => (this.#resolve = resolve))
    this.#gone = new Promise((resolve) => {
      const end = (how: string): void => {
        this.#resolve(this.#why ?? this.#dead(`${program} ${how}`))
        this.#endGroup()
        resolve()
      }
      child.once('error', (error) => end(`could not be started: ${error.message}`))
      child.once('exit', (code, signal) => end(signal === null ? `exited with code ${code}` : `was ended by ${signal}`))
    })
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  send(message: Message): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`)
  }

  listen(take: (message: Message) => void): void {
    this.#take = take
  }

  close(why?: DeskhandError): Promise<void> {
    this.#child.stdout?.removeAllListeners('data').resume()
    if (why !== undefined) {
      this.#why ??= why
      this.#resolve(this.#why)
      this.#endGroup()
    }
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    this.#child.stdin?.end()
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const stop = new AbortController()
      const isOver = await Promise.race([this.#gone.then(() => true), sleep(CLOSE_MS, false, { signal: stop.signal }).catch(() => false)])
      stop.abort()
      if (isOver) return
      this.#child.kill(signal)
    }
    await this.#gone
  }

  #log(text: string): void {
    this.#words = (this.#words + text).slice(-TAIL)
    const flood = this.#rate.count(text.length)
    if (flood !== undefined) this.#fail(flood)
  }

  #read(chunk: Buffer): void {
    const flood = this.#rate.count(chunk.length)
    if (flood !== undefined) return this.#fail(flood)
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1 && this.#why === undefined; end = chunk.indexOf(10, start)) {
      this.#hold(chunk.subarray(start, end))
      const line = Buffer.concat(this.#held).toString('utf8').trim()
      this.#held = []
      this.#size = 0
      if (line !== '' && this.#why === undefined) this.#line(line)
      start = end + 1
    }
    if (start < chunk.length && this.#why === undefined) this.#hold(chunk.subarray(start))
  }

  #hold(part: Buffer): void {
    this.#size += part.length
    if (this.#size > this.#maxBytes) return this.#fail(sent(`a message of more than ${this.#maxBytes} bytes`))
    this.#held.push(part)
  }

  #line(line: string): void {
    let message: unknown
    try {
      message = JSON.parse(line)
    } catch {
      return this.#fail(sent('a line that is no JSON'))
    }
    if (typeof message !== 'object' || message === null || Array.isArray(message)) return this.#fail(sent('a message that is no object'))
    this.#take(message as Message)
  }

  #fail(why: DeskhandError): void {
    this.#held = []
    void this.close(why)
  }

  #dead(message: string): DeskhandError {
    const output = this.#words.trimEnd().split('\n').slice(-20).filter(Boolean)
    return new DeskhandError('DRIVER_DEAD', [`The driver ${message}.`, ...output].join('\n'))
  }

  /** Whatever the server started must not outlive it. Its hosts let go of keys and buttons when their link breaks. */
  #endGroup(): void {
    const { pid } = this.#child
    if (pid === undefined || process.platform === 'win32') return
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // Nothing of it is left.
    }
  }
}

const sent = (what: string): DeskhandError => new DeskhandError('PROTOCOL', `The driver sent ${what}.`)

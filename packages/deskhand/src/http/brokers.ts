import { type ChildProcess, spawn } from 'node:child_process'
import type { Duplex } from 'node:stream'
import { DeskhandError } from '@deskhand/core/errors'
import type { DesktopState } from '../broker/desktop-state.ts'
import { ServedDesktop } from './desktop.ts'

/** The streams between a server and a broker that it started: one for calls, one for pictures, which are large. */
const CALLS_FD = 3
const PICTURES_FD = 4
const END_MS = 10_000

export interface BrokerCommand {
  /** The program and its arguments; what it prints as its first line is what it told. */
  command: readonly string[]
  place: DesktopState
  env?: NodeJS.ProcessEnv
}

/** A broker in a process of its own. It ends when the server does, whatever ends the server: the stream between them breaks. */
export class BrokerProcess {
  readonly desktop: ServedDesktop
  /** What the broker told when it was ready. */
  readonly ready: Record<string, unknown>
  /** The exit code, once it has ended. */
  readonly ended: Promise<number>
  readonly #child: ChildProcess

  static async start({ command, place, env }: BrokerCommand): Promise<BrokerProcess> {
    const [program = '', ...args] = command
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit', 'pipe', 'pipe'], env })
    const ended = new Promise<number>((done) => {
      child.once('error', () => done(1))
      child.once('exit', (code, signal) => done(code ?? (signal === null ? 0 : 1)))
    })
    const line = await firstLine(child, ended)
    const desktop = await ServedDesktop.open(
      place.name,
      [child.stdio[CALLS_FD] as Duplex, child.stdio[PICTURES_FD] as Duplex],
      place.tokens,
    )
    return new BrokerProcess(child, desktop, JSON.parse(line) as Record<string, unknown>, ended)
  }

  private constructor(child: ChildProcess, desktop: ServedDesktop, ready: Record<string, unknown>, ended: Promise<number>) {
    this.#child = child
    this.desktop = desktop
    this.ready = ready
    this.ended = ended
  }

  async end(): Promise<void> {
    // Windows knows no polite signal; there the end of the stream is the sign.
    if (process.platform === 'win32') void this.desktop.close()
    else this.#child.kill('SIGTERM')
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_MS)
    await this.ended
    clearTimeout(timer)
    await this.desktop.close()
  }
}

/** Its own exit code is the server's, where it does not come up: it has said why on standard error. */
export class DidNotComeUp extends DeskhandError {
  readonly exit: number

  constructor(exit: number) {
    super('NO_BROKER', 'the desktop did not come up')
    this.exit = exit
  }
}

async function firstLine({ stdout }: ChildProcess, ended: Promise<number>): Promise<string> {
  const line = new Promise<string>((done) => {
    let text = ''
    const hear = (part: Buffer): void => {
      text += part.toString('utf8')
      const at = text.indexOf('\n')
      if (at < 0) return
      stdout?.off('data', hear)
      stdout?.resume()
      done(text.slice(0, at))
    }
    stdout?.on('data', hear)
  })
  const first = await Promise.race([line, ended])
  if (typeof first === 'string') return first
  throw new DidNotComeUp(first)
}

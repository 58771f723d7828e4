export const LEVELS = ['silent', 'error', 'info', 'debug'] as const
/** What a terminal would take for a command: a client chooses the address that is written down. */
// oxlint-disable-next-line no-control-regex
const COMMANDS = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g

export type Level = (typeof LEVELS)[number]

/** Lines for the operator who runs the server, on standard error. Neither tokens nor contents are ever written. */
export class Log {
  readonly #level: number
  readonly #write: (line: string) => void

  constructor(level: Level, write: (line: string) => void = (line) => void process.stderr.write(line)) {
    this.#level = LEVELS.indexOf(level)
    this.#write = write
  }

  error(text: string, cause?: unknown): void {
    this.#say(1, 'error', cause instanceof Error ? `${text}\n${cause.stack}` : text)
  }

  info(text: string): void {
    this.#say(2, 'info', text)
  }

  /** Made only where it is written: there is one for every request. */
  debug(text: () => string): void {
    if (this.#level >= 3) this.#say(3, 'debug', text())
  }

  #say(level: number, name: string, text: string): void {
    if (level <= this.#level) this.#write(`${new Date().toISOString()} ${name} ${text.replaceAll(COMMANDS, '?')}\n`)
  }
}

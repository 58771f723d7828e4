import { emitKeypressEvents } from 'node:readline'
import type { ReadStream, WriteStream } from 'node:tty'
import { DeskhandError } from '@deskhand/core/errors'

export type Style = 'bold' | 'dim' | 'inverse' | 'red' | 'yellow' | 'green'
export type Span = string | { text: string; style: Style }
/** One row of the screen. Its text is ours or made safe; here it is only drawn. */
export type Row = readonly Span[]

export interface Key {
  /** `a`, `up`, `return`, …; of a pasted text every character is called `paste`. */
  name: string
  text: string
  ctrl: boolean
}

/** The whole screen of a terminal, until `restore`: which also a signal, a crash and the end of the process do. */
export class Terminal {
  onKey: (key: Key) => void = () => {}
  onResize: () => void = () => {}
  /** The person turned to this terminal. */
  onFocus: () => void = () => {}
  /** What must be gone by the time the terminal is given back. */
  onLeave: () => void = () => {}
  readonly #input: ReadStream
  readonly #output: WriteStream
  #taken = false
  #pasting = false

  constructor(input: ReadStream = process.stdin, output: WriteStream = process.stdout) {
    if (!input.isTTY || !output.isTTY || process.env['TERM'] === 'dumb') {
      throw new DeskhandError('BAD_ARGS', 'this needs a terminal on standard input and output', {
        next: 'Run it in a terminal, or use: deskhand approvals list, allow, deny.',
      })
    }
    this.#input = input
    this.#output = output
  }

  get rows(): number {
    return this.#output.rows
  }

  get columns(): number {
    return this.#output.columns
  }

  take(): void {
    this.#taken = true
    this.#write(`${ENTER}${CLEAR}`)
    process.on('exit', this.restore).on('uncaughtExceptionMonitor', this.restore)
    for (const signal of SIGNALS) process.on(signal, this.#die)
    process.on('SIGCONT', this.#resized)
    this.#output.on('resize', this.#resized)
    emitKeypressEvents(this.#input)
    this.#input.setRawMode(true)
    this.#input.on('keypress', this.#pressed)
    this.#input.resume()
  }

  readonly restore = (): void => {
    if (!this.#taken) return
    this.#taken = false
    this.onLeave()
    for (const signal of SIGNALS) process.off(signal, this.#die)
    process.off('exit', this.restore).off('uncaughtExceptionMonitor', this.restore).off('SIGCONT', this.#resized)
    this.#output.off('resize', this.#resized)
    this.#input.off('keypress', this.#pressed)
    try {
      this.#input.setRawMode(false)
    } catch {
      // The terminal is gone.
    }
    this.#input.pause()
    this.#write(LEAVE)
  }

  /** Draws every row anew, and `image` over them; `cursor` is where text is being typed. */
  draw(rows: readonly Row[], cursor?: { row: number; column: number }, image = ''): void {
    const lines = rows.map((row, i) => `\u001b[${i + 1};1H${row.map(paint).join('')}\u001b[0m\u001b[K`)
    const place = cursor === undefined ? HIDE : `\u001b[${cursor.row + 1};${cursor.column + 1}H${SHOW}`
    this.#write(`${HIDE}${lines.join('')}\u001b[J${image}${place}`)
  }

  bell(): void {
    this.#write('\u0007')
  }

  readonly #pressed = (text: string | undefined, key: { name?: string; sequence?: string; ctrl: boolean; meta: boolean }): void => {
    if (key.sequence === FOCUS_IN) return this.onFocus()
    if (key.sequence === FOCUS_OUT) return
    if (key.name === 'paste-start') this.#pasting = true
    else if (key.name === 'paste-end') this.#pasting = false
    else if (this.#pasting) this.onKey({ name: 'paste', text: text ?? '', ctrl: false })
    else if (!key.meta || key.name === 'escape') this.onKey({ name: key.name ?? '', text: text ?? '', ctrl: key.ctrl })
  }

  readonly #resized = (): void => {
    if (!this.#taken) return
    this.#input.setRawMode(true)
    this.#write(CLEAR)
    this.onResize()
  }

  /** Gives the terminal back, then lets the signal have its usual effect. */
  readonly #die = (signal: NodeJS.Signals): void => {
    this.restore()
    process.kill(process.pid, signal)
  }

  /** Node writes to terminals at once, so that this works in the last moment too. */
  #write(text: string): void {
    this.#output.write(text)
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
const FOCUS_IN = '\u001b[I'
const FOCUS_OUT = '\u001b[O'
const SHOW = '\u001b[?25h'
const HIDE = '\u001b[?25l'
const CLEAR = '\u001b[2J'
/** The other screen, pastes marked as such, word of the focus, and no wrapping: a row that is too long is cut and cannot spill into the next. */
const ENTER = `\u001b[?1049h\u001b[?2004h\u001b[?1004h\u001b[?7l${HIDE}`
const LEAVE = `\u001b[0m\u001b[?7h\u001b[?1004l\u001b[?2004l${SHOW}\u001b[?1049l`

const CODES: Record<Style, number> = { bold: 1, dim: 2, inverse: 7, red: 31, yellow: 33, green: 32 }
const COLOURS: ReadonlySet<Style> = new Set(['red', 'yellow', 'green'])

function paint(span: Span): string {
  if (typeof span === 'string') return span
  const plain = process.env['NO_COLOR'] !== undefined && COLOURS.has(span.style)
  return plain ? span.text : `\u001b[${CODES[span.style]}m${span.text}\u001b[0m`
}

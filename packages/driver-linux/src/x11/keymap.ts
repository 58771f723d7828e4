import type { Keymap as Keys } from '../display-server.ts'
import type { Display } from './display.ts'

/** F13 to F24, which no keyboard has: their keycodes can carry any character. */
const SPARE_FIRST = 191
const SPARE_COUNT = 12
const NO_SYMBOL = 0

export interface Stroke {
  code: number
  shift: boolean
}

/** Which key gives which symbol, and spare keys for those that no key gives. */
export class Keymap implements Keys {
  readonly #display: Display
  #strokes = new Map<number, Stroke>()
  #original: number[][] | undefined
  /** The symbol on each spare key, and whether it was struck since the application last caught up. */
  readonly #spare: { symbol: number; struck: boolean }[] = Array.from({ length: SPARE_COUNT }, () => ({
    symbol: NO_SYMBOL,
    struck: false,
  }))
  #group: (() => Promise<number>) | undefined

  constructor(display: Display) {
    this.#display = display
  }

  /** Reads the layout as it is now; a person may have switched it. */
  async load(): Promise<void> {
    const { client, minKeycode, maxKeycode } = this.#display
    const [rows, group] = await Promise.all([
      this.#display.ask<number[][]>((reply) => client.GetKeyboardMapping(minKeycode, maxKeycode - minKeycode + 1, reply)),
      this.#currentGroup(),
    ])
    this.#strokes = new Map()
    rows.forEach((row, i) => {
      const code = minKeycode + i
      if (code >= SPARE_FIRST && code < SPARE_FIRST + SPARE_COUNT) return
      const column = group > 0 && group * 2 + 1 < row.length && row[group * 2] !== NO_SYMBOL ? group * 2 : 0
      this.#learn(row[column], code, false)
      this.#learn(row[column + 1], code, true)
    })
    this.#original ??= rows.slice(SPARE_FIRST - minKeycode, SPARE_FIRST - minKeycode + SPARE_COUNT)
  }

  /** How to strike a symbol; undefined when it has to be put on a spare key first. */
  find(symbol: number): Stroke | undefined {
    const own = this.#strokes.get(symbol)
    if (own !== undefined) return own
    const at = this.#spare.findIndex((s) => s.symbol === symbol)
    return at < 0 ? undefined : { code: SPARE_FIRST + at, shift: false }
  }

  /** How many of these symbols, from the first on, can be struck without changing a spare key twice. */
  reach(symbols: readonly number[]): number {
    const borrowed = new Set<number>()
    for (const [i, symbol] of symbols.entries()) {
      if (!this.#strokes.has(symbol)) borrowed.add(symbol)
      if (borrowed.size > SPARE_COUNT) return i
    }
    return symbols.length
  }

  /**
   * Puts symbols on spare keys, in one change. A key that was struck may still wait in an application's queue, where the new
   * symbol would replace the old one, so `caughtUp` is awaited before such a key is used again; without it nothing changes.
   */
  async borrow(symbols: readonly number[], caughtUp: () => Promise<boolean>): Promise<boolean> {
    const wanted = [...new Set(symbols)].filter((s) => !this.#strokes.has(s))
    const missing = wanted.filter((s) => !this.#spare.some((k) => k.symbol === s))
    if (missing.length === 0) return true
    const free = this.#spare.filter((k) => !wanted.includes(k.symbol)).sort((a, b) => Number(a.struck) - Number(b.struck))
    const chosen = free.slice(0, missing.length)
    if (chosen.some((k) => k.struck)) {
      if (!(await caughtUp())) return false
      for (const key of this.#spare) key.struck = false
    }
    chosen.forEach((key, i) => (key.symbol = missing[i] ?? NO_SYMBOL))
    this.#display.client.ChangeKeyboardMapping(
      SPARE_FIRST,
      2,
      this.#spare.flatMap((k) => [k.symbol, k.symbol]),
    )
    await this.#display.sync()
    return true
  }

  struck(code: number): void {
    const key = this.#spare[code - SPARE_FIRST]
    if (key !== undefined) key.struck = true
  }

  /** Gives the spare keys back. */
  restore(): void {
    if (this.#original === undefined || this.#spare.every((k) => k.symbol === NO_SYMBOL)) return
    for (const key of this.#spare) key.symbol = NO_SYMBOL
    this.#display.client.ChangeKeyboardMapping(SPARE_FIRST, this.#original[0]?.length ?? 1, this.#original.flat())
  }

  #learn(symbol: number | undefined, code: number, shift: boolean): void {
    if (symbol === undefined || symbol === NO_SYMBOL) return
    const known = this.#strokes.get(symbol)
    if (known === undefined || (known.shift && !shift)) this.#strokes.set(symbol, { code, shift })
  }

  async #currentGroup(): Promise<number> {
    this.#group ??= await groupReader(this.#display)
    return this.#group()
  }
}

async function groupReader(display: Display): Promise<() => Promise<number>> {
  try {
    const xkb = await display.ask<import('x11').Xkb>((reply) => display.client.require('xkb', reply))
    return async () => (await display.ask<{ group: number }>((reply) => xkb.GetState(xkb.UseCoreKbd, reply))).group
  } catch {
    return () => Promise.resolve(0)
  }
}

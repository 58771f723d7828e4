import { DeskhandError } from '@deskhand/core/errors'
import type { ElementNode, Result } from '@deskhand/core/model'
import { quote } from '@deskhand/core/selector/quote'
import { detailLines } from '../tools/words.ts'
import type { Desk } from './desk.ts'

/** How long a locator waits for its element, unless it is told otherwise. */
const PATIENCE_MS = 5_000
const MOST_LISTED = 10

export interface LocatorOptions {
  /** How long to wait until the element is there and can be operated; 5,000 when left out. */
  timeoutMs?: number
}

export interface ClickOptions extends LocatorOptions {
  button?: 'left' | 'right' | 'middle'
  clickCount?: 1 | 2 | 3
  modifiers?: ('Shift' | 'Control' | 'Alt' | 'Meta')[]
}

/** What a locator finds, as `ui.query` tells it. */
export type LocatedElement = Pick<ElementNode, 'role' | 'name' | 'value' | 'description' | 'bounds' | 'states'> & { elementId: string }

/** A desktop on which elements are named by locators. */
export interface LocatingDesk extends Desk {
  /** Names an element by a selector. Nothing is looked up before the locator is used. */
  get(selector: string, options?: LocatorOptions): Locator
}

/**
 * A way to find one element, looked up anew each time it is used. Every verb waits until the element is there, enabled and not covered,
 * goes the one governed path, and throws a `DeskhandError` that says what was in the way.
 */
export class Locator {
  readonly selector: string
  readonly timeoutMs: number
  readonly desk: Desk

  constructor(desk: Desk, selector: string, { timeoutMs = PATIENCE_MS }: LocatorOptions = {}) {
    this.desk = desk
    this.selector = selector
    this.timeoutMs = timeoutMs
  }

  /** Something inside this one, or beside it: `row.get('role=cell')`, `label.get('right-of >> role=textbox')`. */
  get(selector: string, { timeoutMs = this.timeoutMs }: LocatorOptions = {}): Locator {
    const fallback = [this.selector, selector].find((s) => s.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').includes('??'))
    if (fallback !== undefined)
      throw new DeskhandError('BAD_SELECTOR', `${fallback} has a fallback (??), which cannot be joined with another selector`, {
        next: 'Write the whole path out in each alternative: A >> C ?? B >> C.',
      })
    return new Locator(this.desk, `${this.selector} >> ${selector}`, { timeoutMs })
  }

  /** The one with this place among several, counted from 0. */
  nth(index: number): Locator {
    return this.get(`nth=${index}`)
  }

  /** Clicks once the element can be clicked. */
  click({ timeoutMs, ...how }: ClickOptions = {}): Promise<Result> {
    return this.#act('ui.click', { target: this.selector, ...how }, timeoutMs)
  }

  dblclick(options: Omit<ClickOptions, 'clickCount'> = {}): Promise<Result> {
    return this.click({ ...options, clickCount: 2 })
  }

  /** Replaces what a field holds; `{ secret }` enters a secret by its name. */
  fill(text: string | { secret: string }, { timeoutMs }: LocatorOptions = {}): Promise<Result> {
    return this.#act('ui.type', { target: this.selector, mode: 'replace', ...entered(text) }, timeoutMs)
  }

  /** Types at the caret. */
  type(text: string | { secret: string }, { timeoutMs }: LocatorOptions = {}): Promise<Result> {
    return this.#act('ui.type', { target: this.selector, ...entered(text) }, timeoutMs)
  }

  /** Presses keys with the focus here: `"Enter"`, `"ctrl+s"`, or several chords in order. */
  press(keys: string | string[], { timeoutMs }: LocatorOptions = {}): Promise<Result> {
    return this.#act('ui.key', { target: this.selector, keys }, timeoutMs)
  }

  /** Brings any control to a value: text, number, date, true or false, the name of an option, tab or entry. */
  async set(value: string | number | boolean, { timeoutMs = this.timeoutMs }: LocatorOptions = {}): Promise<Result> {
    const [one, ...others] = await this.#found(timeoutMs)
    // What is still disabled when the time is over is refused by the call itself, which says why.
    if (one?.states?.enabled === false && others.length === 0)
      await this.desk.call('ui.wait', { until: { uiState: { target: this.selector, enabled: true } }, timeoutMs })
    return this.#done('ui.set', await this.desk.call('ui.set', { target: this.selector, value }))
  }

  check(options?: LocatorOptions): Promise<Result> {
    return this.set(true, options)
  }

  uncheck(options?: LocatorOptions): Promise<Result> {
    return this.set(false, options)
  }

  hover({ timeoutMs }: LocatorOptions = {}): Promise<Result> {
    return this.#act('ui.hover', { target: this.selector }, timeoutMs)
  }

  focus({ timeoutMs }: LocatorOptions = {}): Promise<Result> {
    return this.#act('ui.focus', { target: this.selector }, timeoutMs)
  }

  dragTo(other: Locator, { timeoutMs }: LocatorOptions = {}): Promise<Result> {
    return this.#act('ui.drag', { from: this.selector, to: other.selector }, timeoutMs)
  }

  /** Waits until the element is there, or is there no more. */
  async waitFor({ state = 'present', timeoutMs = this.timeoutMs }: LocatorOptions & { state?: 'present' | 'absent' } = {}): Promise<void> {
    const until = { uiState: { target: this.selector, present: state === 'present' } }
    this.#done('ui.wait', await this.desk.call('ui.wait', { until, timeoutMs }))
  }

  /** Everything that the selector matches now; does not wait. */
  all(): Promise<LocatedElement[]> {
    return this.#found()
  }

  /** How many elements match now. */
  async count(): Promise<number> {
    const { data } = this.#done('ui.query', await this.desk.call('ui.query', { selector: this.selector, limit: 1 }))
    return (data as { count: number }).count
  }

  /** The one element, once it is there. */
  async element(): Promise<LocatedElement> {
    const all = await this.#found(this.timeoutMs)
    if (all.length === 0) await this.waitFor({ timeoutMs: 0 })
    const visible = all.filter((e) => e.states?.visible !== false)
    const [one, ...others] = visible.length > 0 ? visible : all
    if (one === undefined) throw new DeskhandError('NOT_FOUND', `${this.selector}: it went while it was looked at`)
    if (others.length === 0) return one
    const listed = [one, ...others]
      .slice(0, MOST_LISTED)
      .map(({ role, name }) => `\n  ${role}${name === undefined ? '' : ` ${quote(name)}`}`)
    throw new DeskhandError('AMBIGUOUS_TARGET', `${this.selector} names ${others.length + 1} elements${listed.join('')}`, {
      next: 'Narrow the selector, or take one by nth().',
    })
  }

  async value(): Promise<string | undefined> {
    return (await this.element()).value
  }

  async name(): Promise<string | undefined> {
    return (await this.element()).name
  }

  /** Its picture as a PNG, with what is private in it black. */
  async screenshot(): Promise<Uint8Array> {
    await this.waitFor()
    const { images } = this.#done('input.capture', await this.desk.call('input.capture', { target: this.selector }))
    const [image] = images ?? []
    if (image === undefined) throw new DeskhandError('NOT_CAPABLE', `${this.selector}: no picture came`)
    return image.data
  }

  toString(): string {
    return this.selector
  }

  /** Everything that the selector matches; with a time, once it matches anything. */
  async #found(timeoutMs?: number): Promise<LocatedElement[]> {
    const { data } = this.#done('ui.query', await this.desk.call('ui.query', { selector: this.selector, limit: 500, timeoutMs }))
    return (data as { matches: LocatedElement[] }).matches
  }

  async #act(tool: string, args: object, timeoutMs = this.timeoutMs): Promise<Result> {
    return this.#done(tool, await this.desk.call(tool, { ...args, timeoutMs }))
  }

  #done(tool: string, result: Result): Result {
    if (result.error === undefined) return result
    const { code, message, next, details } = result.error
    // A runner prints the message alone, and cuts what is deep in the details.
    const listed = code === 'AMBIGUOUS_TARGET' ? detailLines(details).map((line) => `\n  ${line}`) : []
    throw DeskhandError.revive({ code, message: `${tool} ${this.selector}: ${message}${listed.join('')}`, next, details: result })
  }
}

const entered = (text: string | { secret: string }): { text: string } | { secret: string } => (typeof text === 'string' ? { text } : text)

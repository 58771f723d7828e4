import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, vi } from 'vitest'
import { within } from '@deskhand/core/driver'
import type { ElementNode, Rect, States } from '@deskhand/core/model'
import type { RealDesk } from './governed.ts'
import { fixture, PYTHON, shown } from './linux.ts'

export interface Cell {
  elementId: string
  name?: string
  value?: string
  bounds?: Rect
  states?: States
}

/** A row of a register as an agent sees it, from left to right. */
export type Seen = readonly Cell[]

/** A register of a toolkit (tests/fixtures/register_*.py), which prints the rows it holds whenever they change. */
export class Register {
  readonly #desk: RealDesk
  readonly #child: ChildProcess
  readonly #said: string[][] = []
  /** The rows it held before and holds now, by what they show. */
  readonly #known = new Set<string>()

  static async open(desk: RealDesk, file: string, ...args: string[]): Promise<Register> {
    const env = { ...desk.sandbox.env, GSK_RENDERER: 'cairo' }
    const child = spawn(PYTHON, [fixture(file), ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    const register = new Register(desk, child)
    await shown(desk.driver, 'Register')
    return register
  }

  private constructor(desk: RealDesk, child: ChildProcess) {
    this.#desk = desk
    this.#child = child
    let left = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${left}${text}`.split('\n')
      left = lines.pop() ?? ''
      for (const line of lines) if (line.startsWith('rows ')) this.#take(line.slice(5).split('|').filter(Boolean))
    })
  }

  async close(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
    // The next one has a window of the same title.
    await vi.waitFor(
      async () => {
        const { nodes } = await this.#desk.driver.observe.read({}, within(10_000))
        if (nodes.some((n) => n.parent === undefined && n.name === 'Register')) throw new Error('its window is still in the tree')
      },
      { timeout: 20_000 },
    )
  }

  /** The rows as it printed them last: date;payee;amount;paid. */
  get rows(): readonly string[] {
    return this.#said.at(-1) ?? []
  }

  /** Does something that makes it print its rows, and waits until it has. */
  async after(act: () => Promise<unknown>): Promise<readonly string[]> {
    const before = this.#said.length
    await act()
    await expect.poll(() => this.#said.length, { timeout: 20_000 }).toBeGreaterThan(before)
    return this.rows
  }

  press(button: string): Promise<readonly string[]> {
    return this.after(async () => {
      const done = await this.#desk.call('ui.click', { target: `role=button && name="${button}"` })
      expect(done, JSON.stringify(done.error)).toMatchObject({ status: 'success' })
    })
  }

  /** The rows in view in the order of the tree; every look must show rows that there are. */
  async look(): Promise<Seen[]> {
    const { data, error } = await this.#desk.call('ui.snapshot', { includeTree: true, scope: 'window' })
    expect(error).toBeUndefined()
    const rows = [...rowsIn((data as { tree: ElementNode }).tree)]
      .filter((row) => row.every((cell) => cell.states?.visible !== false))
      .map((row) => row.map(({ id, ...cell }) => ({ elementId: id, ...cell })))
    for (const row of rows) if (this.#known.size > 0) expect([...this.#known]).toContain(textOf(row))
    return rows
  }

  /** Looks until the rows in view are some that it printed last, one after the other. */
  async shows(): Promise<Seen[]> {
    let seen: Seen[] = []
    const isRight = async (): Promise<string> => {
      seen = await this.look()
      const held = this.rows.map((row) => row.split(';').slice(0, 3).join(';'))
      const texts = seen.map(textOf)
      const from = held.indexOf(texts[0] ?? '')
      const isRun = from >= 0 && texts.join('|') === held.slice(from, from + texts.length).join('|')
      return isRun && texts.length >= Math.min(5, held.length) ? 'as it is' : `${texts.join('|')} instead of ${held.join('|')}`
    }
    await expect.poll(isRight, { timeout: 10_000 }).toBe('as it is')
    return seen
  }

  /** Of every cell that an agent saw: the same booking under its id, or STALE_REF. Gives how many are still known. */
  async keeps(before: readonly Seen[]): Promise<number> {
    const now = new Map((await this.look()).flatMap((row) => row.map((cell) => [cell.elementId, row] as const)))
    let known = 0
    for (const row of before) {
      for (const cell of row) {
        const { status, error, data } = await this.#desk.call('ui.describe', { element: { elementId: cell.elementId } })
        if (status === 'error') {
          expect(error?.code).toBe('STALE_REF')
          continue
        }
        known++
        const at = now.get(cell.elementId)
        if (at !== undefined) expect([cell.elementId, bookingOf(at)]).toEqual([cell.elementId, bookingOf(row)])
        else expect(data).toMatchObject(cell.name === undefined ? {} : { name: cell.name })
      }
    }
    return known
  }

  #take(rows: string[]): void {
    this.#said.push(rows)
    for (const row of rows) this.#known.add(row.split(';').slice(0, 3).join(';'))
  }
}

/** The rows of every table, by their cells. */
function* rowsIn(node: ElementNode): Generator<ElementNode[]> {
  const children = node.children ?? []
  const cells = children.slice(children.findLastIndex((c) => c.role === 'columnheader') + 1).filter((c) => c.role === 'cell')
  for (let at = 0; at < cells.length; at += COLUMNS) yield cells.slice(at, at + COLUMNS)
  for (const child of children) yield* rowsIn(child)
}

const COLUMNS = 4

export const textOf = (row: Seen): string =>
  row
    .slice(0, 3)
    .map((cell) => cell.name ?? cell.value ?? '')
    .join(';')

/** The number behind the payee stays with a booking, whatever else of it changes. */
const bookingOf = (row: Seen): string => (row[1]?.name ?? '').slice(-2)

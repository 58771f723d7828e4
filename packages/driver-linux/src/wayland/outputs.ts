import { type Rect, type Screen, union } from '@deskhand/core/model'
import type { Connection, EventReader } from './connection.ts'

/** Events of wl_output and of xdg_output. */
const OUTPUT = { mode: 1, done: 2, scale: 3, name: 4 }
const XDG = { position: 0, size: 1, name: 3 }
const CURRENT = 1

export interface Output {
  /** The number of its wl_output. */
  id: number
  name: string
  /** In pixels. */
  pixels: { w: number; h: number }
  /** Where it lies among the others, in the units that windows and the pointer are counted in. */
  bounds: Rect
}

/** The screens of a compositor. */
export class Outputs {
  onChange: () => void = () => {}
  readonly #connection: Connection
  readonly #manager: number | undefined
  /** By the number of their global. */
  readonly #known = new Map<number, Output & { scale: number; placed?: Partial<Rect> }>()
  #told = ''

  static async open(connection: Connection): Promise<Outputs> {
    const manager = connection.version('zxdg_output_manager_v1') > 0 ? connection.bind('zxdg_output_manager_v1', 3) : undefined
    const outputs = new Outputs(connection, manager)
    outputs.#follow()
    await connection.sync()
    await connection.sync()
    outputs.#told = JSON.stringify(outputs.all)
    connection.onGlobals = () => outputs.#follow()
    return outputs
  }

  private constructor(connection: Connection, manager: number | undefined) {
    this.#connection = connection
    this.#manager = manager
  }

  get all(): Output[] {
    return [...this.#known.values()]
      .filter((o) => o.pixels.w > 0)
      .map(({ id, name, pixels, scale, placed }) => {
        const size = { w: Math.round(pixels.w / scale), h: Math.round(pixels.h / scale) }
        return { id, name, pixels, bounds: { x: 0, y: 0, ...size, ...placed } }
      })
  }

  /** All of them together. */
  get area(): Rect {
    const [first, ...others] = this.all.map((o) => o.bounds)
    return first === undefined ? { x: 0, y: 0, w: 1, h: 1 } : others.reduce(union, first)
  }

  get screens(): Screen[] {
    return this.all.map((o, i) => ({ id: o.name, bounds: o.bounds, scale: scaleOf(o), primary: i === 0 }))
  }

  #follow(): void {
    const connection = this.#connection
    for (const global of this.#known.keys()) if (!connection.isOffered('wl_output', global)) this.#known.delete(global)
    const heard = (id: number) => (event: number, read: EventReader) => this.#hear(id, event, read)
    for (const [global, id] of connection.bindAll('wl_output', 4, heard, new Set(this.#known.keys()))) {
      this.#known.set(global, { id, name: `screen-${global}`, pixels: { w: 0, h: 0 }, bounds: { x: 0, y: 0, w: 0, h: 0 }, scale: 1 })
      if (this.#manager === undefined) continue
      const xdg = connection.create((event, read) => this.#place(id, event, read))
      connection.request(this.#manager, 1, [xdg, id])
    }
    this.#tell()
  }

  #hear(id: number, event: number, read: EventReader): void {
    const output = this.#byId(id)
    if (output === undefined) return
    if (event === OUTPUT.mode && (read.uint() & CURRENT) !== 0) output.pixels = { w: read.int(), h: read.int() }
    else if (event === OUTPUT.scale) output.scale = read.int()
    else if (event === OUTPUT.name) output.name = read.text()
    else if (event === OUTPUT.done) this.#tell()
  }

  #place(id: number, event: number, read: EventReader): void {
    const output = this.#byId(id)
    if (output === undefined) return
    if (event === XDG.position) output.placed = { ...output.placed, x: read.int(), y: read.int() }
    else if (event === XDG.size) output.placed = { ...output.placed, w: read.int(), h: read.int() }
    else if (event === XDG.name) output.name = read.text()
  }

  #byId(id: number): (Output & { scale: number; placed?: Partial<Rect> }) | undefined {
    return [...this.#known.values()].find((o) => o.id === id)
  }

  #tell(): void {
    const now = JSON.stringify(this.all)
    if (now === this.#told || this.#told === '') return
    this.#told = now
    this.onChange()
  }
}

/** How many pixels one unit is. */
export const scaleOf = ({ pixels, bounds }: Output): number => pixels.w / bounds.w

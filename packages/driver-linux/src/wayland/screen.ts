import { closeSync, readSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '@deskhand/core/errors'
import type { Pixels } from '@deskhand/core/driver'
import { type Rect, intersect } from '@deskhand/core/model'
import type { Allocate } from '../display-server.ts'
import type { Connection } from './connection.ts'
import { type Output, type Outputs, scaleOf } from './outputs.ts'
import { sharedFile } from './socket.ts'

const FRAME = { copy: 0, destroy: 1, copyWithDamage: 2 }
const EVENT = { buffer: 0, flags: 1, ready: 2, failed: 3, damage: 4, bufferDone: 6 }
const INVERTED = 1
const CAPTURE_MS = 5000
/** Pictures for watching are taken so far apart at least. */
const WATCH_MS = 16
/** Formats whose bytes are blue, green, red, unused; and red, green, blue, unused. */
const BLUE_FIRST: ReadonlySet<number> = new Set([0, 1])
const RED_FIRST: ReadonlySet<number> = new Set([0x34324241, 0x34324258])

interface Layout {
  format: number
  width: number
  height: number
  stride: number
}

/** Memory that the compositor copies a screen into. */
interface Shared extends Layout {
  buffer: number
  file: number
}

interface Copied {
  shared: Shared
  isInverted: boolean
  damage: Rect[]
}

/** Pictures of the screens through wlr-screencopy. */
export class WaylandScreen {
  readonly #connection: Connection
  readonly #outputs: Outputs
  readonly #manager: number
  readonly #shm: number
  readonly #memory = new Map<string, Shared>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(connection: Connection, outputs: Outputs) {
    this.#connection = connection
    this.#outputs = outputs
    this.#manager = connection.bind('zwlr_screencopy_manager_v1', 3)
    this.#shm = connection.bind('wl_shm', 1)
    void connection.closed.then(() => {
      for (const { file } of this.#memory.values()) closeSync(file)
    })
  }

  /** An area, or everything. One picture is taken at a time, as the memory holds one. */
  grab(area?: Rect, allocate: Allocate = (pixels) => new Uint32Array(pixels)): Promise<Pixels> {
    const grabbed = this.#last.then(() => this.#grab(area, allocate))
    this.#last = grabbed.catch(() => {})
    return grabbed
  }

  /** Tells where something was drawn, until the connection ends. */
  async watch(drawn: (area: Rect) => void): Promise<void> {
    for (const output of this.#outputs.all) void this.#follow(output.name, drawn).catch(() => {})
  }

  async #follow(name: string, drawn: (area: Rect) => void): Promise<void> {
    while (this.#connection.isOpen) {
      const output = this.#outputs.all.find((o) => o.name === name)
      if (output === undefined) return
      const { damage } = await this.#copy(output, 'watch').catch((error: unknown) => {
        // A screen that just changed its size fails one copy.
        if (!this.#connection.isOpen) throw error
        return { damage: [{ x: 0, y: 0, ...output.pixels }] }
      })
      for (const part of damage) drawn(inUnits(part, output))
      await sleep(WATCH_MS)
    }
  }

  async #grab(area: Rect | undefined, allocate: Allocate): Promise<Pixels> {
    const whole = this.#outputs.area
    const wanted = area === undefined ? whole : intersect(area, whole)
    const parts = this.#outputs.all.flatMap((output) => {
      const part = wanted && intersect(wanted, output.bounds)
      return part === undefined ? [] : [{ output, part }]
    })
    const [first] = parts
    if (wanted === undefined || first === undefined) throw new DeskhandError('BAD_ARGS', 'the area to capture lies outside the screen')
    const scale = scaleOf(first.output)
    if (parts.some(({ output }) => scaleOf(output) !== scale))
      throw new DeskhandError('NOT_CAPABLE', 'screens of different scales do not fit into one picture', {
        next: 'Capture an area of one screen, or a window.',
      })
    const [left, top] = [Math.floor(wanted.x * scale), Math.floor(wanted.y * scale)]
    const width = Math.ceil((wanted.x + wanted.w) * scale) - left
    const height = Math.ceil((wanted.y + wanted.h) * scale) - top
    const words = allocate(width * height)
    const into = Buffer.from(words.buffer, words.byteOffset, words.byteLength)
    let lowest: Pixels['lowest'] = 'blue'
    for (const { output } of parts) {
      const copied = await this.#copy(output, 'grab')
      lowest = RED_FIRST.has(copied.shared.format) ? 'red' : 'blue'
      const [x, y] = [Math.round(output.bounds.x * scale) - left, Math.round(output.bounds.y * scale) - top]
      readRows(copied, into, { x, y, w: width, h: height })
    }
    return { width, height, words, lowest, origin: { x: left / scale, y: top / scale }, scale }
  }

  /** With `watch` it waits until something is drawn. */
  #copy(output: Output, why: 'grab' | 'watch'): Promise<Copied> {
    const connection = this.#connection
    let frame = 0
    const copied = connection.wait<Copied>(why === 'watch' ? Infinity : CAPTURE_MS, 'for a picture', (done, fail) => {
      let layout: Layout | undefined
      let shared: Shared | undefined
      let isInverted = false
      const damage: Rect[] = []
      frame = connection.create((event, read) => {
        switch (event) {
          case EVENT.buffer:
            layout = { format: read.uint(), width: read.uint(), height: read.uint(), stride: read.uint() }
            return
          case EVENT.bufferDone:
            if (layout === undefined || !(BLUE_FIRST.has(layout.format) || RED_FIRST.has(layout.format)))
              return fail(new DeskhandError('NOT_CAPABLE', `the compositor gives pixels in format ${layout?.format}, which is not known`))
            shared = this.#sharedFor(`${why} ${output.name}`, layout)
            return connection.request(frame, why === 'watch' ? FRAME.copyWithDamage : FRAME.copy, [shared.buffer])
          case EVENT.flags:
            isInverted = (read.uint() & INVERTED) !== 0
            return
          case EVENT.damage:
            damage.push({ x: read.uint(), y: read.uint(), w: read.uint(), h: read.uint() })
            return
          case EVENT.ready:
            return shared === undefined ? undefined : done({ shared, isInverted, damage })
          case EVENT.failed:
            return fail(new DeskhandError('DRIVER_FAILED', 'the compositor did not give a picture of its screen'))
          default:
            return
        }
      })
      connection.request(this.#manager, 0, [frame, 0, output.id])
    })
    return copied.finally(() => {
      if (connection.isOpen) connection.request(frame, FRAME.destroy)
    })
  }

  #sharedFor(key: string, layout: Layout): Shared {
    const known = this.#memory.get(key)
    if (known?.stride === layout.stride && known.height === layout.height && known.format === layout.format) return known
    const connection = this.#connection
    if (known !== undefined) {
      connection.request(known.buffer, 0)
      closeSync(known.file)
    }
    const size = layout.stride * layout.height
    const file = sharedFile(connection.folder, size)
    const pool = connection.create()
    connection.request(this.#shm, 0, [pool, size], file)
    const buffer = connection.create()
    connection.request(pool, 0, [buffer, 0, layout.width, layout.height, layout.stride, layout.format])
    // The buffer keeps the pool's memory.
    connection.request(pool, 1)
    const shared = { ...layout, buffer, file }
    this.#memory.set(key, shared)
    return shared
  }
}

/** Copies what a screen shows into a picture of this size, in which the screen lies at x, y. */
function readRows({ shared, isInverted }: Copied, into: Buffer, { x, y, w, h }: Rect): void {
  const { width, height, stride, file } = shared
  const [from, to] = [Math.max(0, -x), Math.min(width, w - x)]
  const isWhole = from === 0 && x === 0 && w === width && stride === width * 4 && !isInverted && y <= 0 && h - y <= height
  if (isWhole) return void readSync(file, into, 0, h * stride, -y * stride)
  for (let row = Math.max(0, y); row < Math.min(h, y + height); row++) {
    const source = isInverted ? height - 1 - (row - y) : row - y
    readSync(file, into, (row * w + x + from) * 4, (to - from) * 4, source * stride + from * 4)
  }
}

function inUnits(part: Rect, output: Output): Rect {
  const scale = scaleOf(output)
  const { x, y } = output.bounds
  return { x: x + part.x / scale, y: y + part.y / scale, w: part.w / scale, h: part.h / scale }
}

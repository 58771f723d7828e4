import { randomUUID } from 'node:crypto'
import { closeSync, ftruncateSync, openSync, readSync, unlinkSync } from 'node:fs'
import { DeskhandError } from '@deskhand/core/errors'
import type { Pixels } from '@deskhand/core/driver'
import type { Rect } from '@deskhand/core/model'
import { intersect } from '@deskhand/core/model'
import type { CursorImage, Fixes, Shm } from 'x11'
import type { Allocate, Env } from '../display-server.ts'
import { Display } from './display.ts'

const Z_PIXMAP = 2
const ALL_PLANES = 0xffffffff
/** So often the framebuffer is read anew because the mouse moved meanwhile; then the X server is asked for the pixels. */
const CURSOR_TRIES = 3

/** While the screen changes its size, a picture is begun anew so often. */
const SIZE_TRIES = 5

/** Reads a rectangle of the root window, four bytes per pixel: blue, green, red, unused. */
type ReadArea = (area: Rect, into: Buffer) => Promise<void>

type Via = 'framebuffer' | 'MIT-SHM' | 'GetImage'

/** The screen's pixels, by the fastest way that works here: Xvfb's framebuffer file, shared memory, or plain requests. */
export class ScreenGrabber {
  readonly #display: Display
  readonly #read: ReadArea
  readonly via: Via
  #last: Promise<unknown> = Promise.resolve()

  /** `only` forces one way; tests and measurements name it. */
  static async open(env: Env, only?: Via): Promise<ScreenGrabber> {
    const display = await Display.open(env, { shm: true })
    if (display.depth !== 24 && display.depth !== 32)
      throw new DeskhandError('NOT_CAPABLE', `a screen of ${display.depth} bits per pixel cannot be captured`)
    const may = (via: Via): boolean => only === undefined || only === via
    const file = may('framebuffer') ? await framebuffer(display, env.DESKHAND_FRAMEBUFFER) : undefined
    if (file !== undefined) return new ScreenGrabber(display, file, 'framebuffer')
    const shared = may('MIT-SHM') ? await sharedMemory(display) : undefined
    return shared === undefined ? new ScreenGrabber(display, plain(display), 'GetImage') : new ScreenGrabber(display, shared, 'MIT-SHM')
  }

  private constructor(display: Display, read: ReadArea, via: Via) {
    this.#display = display
    this.#read = read
    this.via = via
  }

  /** An area, or the whole screen. One grab runs at a time, as the shared memory holds one picture. */
  grab(area?: Rect, allocate: Allocate = (pixels) => new Uint32Array(pixels)): Promise<Pixels> {
    const grabbed = this.#last.then(() => this.#grabNow(area, allocate))
    this.#last = grabbed.catch(() => {})
    return grabbed
  }

  async #grabNow(area: Rect | undefined, allocate: Allocate): Promise<Pixels> {
    for (let go = 1; ; go++) {
      const { width, height } = this.#display
      const screen = { x: 0, y: 0, w: width, h: height }
      const { x, y, w, h } = (area === undefined ? screen : intersect(whole(area), screen)) ?? outside()
      const words = allocate(w * h)
      const resized = (): boolean => (this.#display.width !== width || this.#display.height !== height) && go < SIZE_TRIES
      try {
        await this.#read({ x, y, w, h }, Buffer.from(words.buffer, words.byteOffset, words.byteLength))
        if (!resized()) return { width: w, height: h, words, lowest: 'blue', origin: { x, y }, scale: 1 }
      } catch (error) {
        await this.#display.sync()
        if (!resized()) throw error
      }
    }
  }

  close(): void {
    this.#display.close()
  }
}

function outside(): never {
  throw new DeskhandError('BAD_ARGS', 'the area to capture lies outside the screen')
}

function plain(display: Display): ReadArea {
  return async ({ x, y, w, h }, into) => {
    const image = await display.ask<{ data: Buffer }>(
      (reply) => display.client.GetImage(Z_PIXMAP, display.root, x, y, w, h, ALL_PLANES, reply),
      5000,
    )
    image.data.copy(into)
  }
}

/** The server writes into memory that is a file to us: read from there, the pixels are copied once. */
async function sharedMemory(display: Display): Promise<ReadArea | undefined> {
  try {
    const shm = await display.ask<Shm>((reply) => display.client.require('shm', reply))
    const share = async (size: number): Promise<{ id: number; file: number; size: number }> => {
      const file = memoryOf(size)
      const id = display.client.AllocID()
      await display
        .ask<unknown>((reply) => shm.AttachFd(id, file, false, reply))
        .catch((error: unknown) => {
          closeSync(file)
          throw error
        })
      return { id, file, size }
    }
    let shared = await share(display.width * display.height * 4)
    void display.closed.then(() => closeSync(shared.file))
    return async ({ x, y, w, h }, into) => {
      if (shared.size < into.length) {
        const { id, file } = shared
        shared = await share(into.length)
        shm.Detach(id)
        closeSync(file)
      }
      await display.ask((reply) => shm.GetImage(display.root, x, y, w, h, ALL_PLANES, Z_PIXMAP, shared.id, 0, reply), 5000)
      readSync(shared.file, into, 0, into.length, 0)
    }
  } catch {
    return undefined
  }
}

/** Memory that lives as long as a process has it open. */
function memoryOf(size: number): number {
  const path = `/dev/shm/deskhand-${randomUUID()}`
  const file = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  ftruncateSync(file, size)
  return file
}

/** Xvfb keeps its screen in an XWD file: a header, a colour table, then the rows. A screen made smaller is the upper left of it. */
async function framebuffer(display: Display, path: string | undefined): Promise<ReadArea | undefined> {
  if (path === undefined) return undefined
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return undefined
  }
  const header = Buffer.alloc(100)
  readSync(file, header, 0, 100, 0)
  const [size = 0, width = 0, height = 0, order, bits, stride = 0, colours = 0] = [0, 16, 20, 28, 44, 48, 76].map((at) =>
    header.readUInt32BE(at),
  )
  const fits = width >= display.width && height >= display.height && order === 0 && bits === 32
  const fixes = await display.ask<Fixes>((reply) => display.client.require('fixes', reply)).catch(() => undefined)
  if (!fits || fixes === undefined) {
    closeSync(file)
    return undefined
  }
  void display.closed.then(() => closeSync(file))
  const start = size + colours * 12
  const read = ({ x, y, w, h }: Rect, into: Buffer): void => {
    const from = start + stride * y + 4 * x
    if (w * 4 === stride) readSync(file, into, 0, into.length, from)
    else for (let row = 0; row < h; row++) readSync(file, into, row * w * 4, w * 4, from + row * stride)
  }
  return withoutCursor(display, fixes, read)
}

/** The file has the mouse pointer painted into it, which no request would give: what lies under it is asked for. */
function withoutCursor(display: Display, fixes: Fixes, read: (area: Rect, into: Buffer) => void): ReadArea {
  const ask = plain(display)
  const cursor = async (): Promise<Rect> => {
    // What was drawn before this call is in the file when the server has answered.
    const { x, y, width, height, xhot, yhot } = await display.ask<CursorImage>((reply) => fixes.GetCursorImage(reply))
    return { x: x - xhot, y: y - yhot, w: width, h: height }
  }
  return async (area, into) => {
    let before = await cursor()
    for (let go = 0; go < CURSOR_TRIES; go++) {
      read(area, into)
      const under = intersect(before, area)
      const by = Buffer.alloc(under === undefined ? 0 : under.w * under.h * 4)
      const [after] = await Promise.all([cursor(), under === undefined ? undefined : ask(under, by)])
      if (after.x === before.x && after.y === before.y && after.w === before.w && after.h === before.h)
        return under === undefined ? undefined : patch(into, area, under, by)
      before = after
    }
    return ask(area, into)
  }
}

function patch(pixels: Buffer, area: Rect, part: Rect, by: Buffer): void {
  for (let row = 0; row < part.h; row++) {
    const to = ((part.y - area.y + row) * area.w + part.x - area.x) * 4
    by.copy(pixels, to, row * part.w * 4, (row + 1) * part.w * 4)
  }
}

function whole(area: Rect): Rect {
  if (![area.x, area.y, area.w, area.h].every(Number.isFinite)) throw new DeskhandError('BAD_ARGS', 'the area to capture is no rectangle')
  const x = Math.floor(area.x)
  const y = Math.floor(area.y)
  return { x, y, w: Math.ceil(area.x + area.w) - x, h: Math.ceil(area.y + area.h) - y }
}

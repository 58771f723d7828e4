import { closeSync, openSync, readSync } from 'node:fs'
import { DeskhandError } from '@deskhand/core/errors'
import type { Pixels } from '@deskhand/core/driver'
import type { Rect } from '@deskhand/core/model'
import { intersect } from '@deskhand/core/model'
import type { CursorImage, Fixes, Segment, Shm } from 'x11'
import { type Env } from './authority.ts'
import { Display } from './display.ts'

const Z_PIXMAP = 2
const ALL_PLANES = 0xffffffff
/** While the mouse moves it is chased so often; then the slow way is taken. */
const CURSOR_TRIES = 3

/** Pixels of a rectangle of the root window, four bytes each: blue, green, red, nothing. The memory is the caller's. */
type Grab = (area: Rect) => Promise<Buffer<ArrayBuffer>>

type Via = 'framebuffer' | 'MIT-SHM' | 'GetImage'

/** The screen's pixels, by the fastest way that works here: Xvfb's framebuffer file, shared memory, or plain requests. */
export class Camera {
  private readonly display: Display
  private readonly grab: Grab
  readonly via: Via
  private last: Promise<unknown> = Promise.resolve()

  /** By one way only where it is named. */
  static async open(env: Env, only?: Via): Promise<Camera> {
    const display = await Display.open(env, { shm: true })
    if (display.depth !== 24 && display.depth !== 32)
      throw new DeskhandError('NOT_CAPABLE', `a screen of ${display.depth} bits per pixel cannot be captured`)
    const may = (via: Via): boolean => only === undefined || only === via
    const file = may('framebuffer') ? await framebuffer(display, env.DESKHAND_FRAMEBUFFER) : undefined
    if (file !== undefined) return new Camera(display, file, 'framebuffer')
    const shared = may('MIT-SHM') ? await sharedMemory(display) : undefined
    return shared === undefined ? new Camera(display, plain(display), 'GetImage') : new Camera(display, shared, 'MIT-SHM')
  }

  private constructor(display: Display, grab: Grab, via: Via) {
    this.display = display
    this.grab = grab
    this.via = via
  }

  /** An area, or everything; one after the other, as the shared memory holds one picture at a time. */
  capture(area?: Rect): Promise<Pixels> {
    const shot = this.last.then(() => this.shoot(area))
    this.last = shot.catch(() => {})
    return shot
  }

  private async shoot(area?: Rect): Promise<Pixels> {
    const screen = { x: 0, y: 0, w: this.display.width, h: this.display.height }
    const clipped = area === undefined ? screen : intersect(whole(area), screen)
    if (clipped === undefined) throw new DeskhandError('BAD_ARGS', 'the area to capture lies outside the screen')
    const grabbed = await this.grab(clipped)
    const own = grabbed.byteOffset % 4 === 0 ? grabbed : Buffer.from(new Uint8Array(grabbed).buffer)
    const words = new Uint32Array(own.buffer, own.byteOffset, clipped.w * clipped.h)
    return { width: clipped.w, height: clipped.h, words, lowest: 'blue', origin: { x: clipped.x, y: clipped.y }, scale: 1 }
  }

  close(): void {
    this.display.close()
  }
}

function plain(display: Display): Grab {
  return async ({ x, y, w, h }) => {
    const image = await display.ask<{ data: Buffer }>(
      (reply) => display.client.GetImage(Z_PIXMAP, display.root, x, y, w, h, ALL_PLANES, reply),
      5000,
    )
    return Buffer.from(image.data)
  }
}

async function sharedMemory(display: Display): Promise<Grab | undefined> {
  try {
    const shm = await display.ask<Shm>((reply) => display.client.require('shm', reply))
    const segment = await display.ask<Segment>((reply) => shm.createSegment(display.width * display.height * 4, reply))
    return async ({ x, y, w, h }) => {
      await display.ask((reply) => segment.getImage(display.root, x, y, w, h, ALL_PLANES, Z_PIXMAP, 0, reply), 5000)
      return Buffer.from(segment.buffer.subarray(0, w * h * 4))
    }
  } catch {
    return undefined
  }
}

/** Xvfb keeps its screen in an XWD file: a header, a colour table, then the rows. */
async function framebuffer(display: Display, path: string | undefined): Promise<Grab | undefined> {
  if (path === undefined) return undefined
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return undefined
  }
  const header = Buffer.alloc(100)
  readSync(file, header, 0, 100, 0)
  const [size, width, height, order, bits, stride, colours] = [0, 16, 20, 28, 44, 48, 76].map((at) => header.readUInt32BE(at))
  const fits =
    width === display.width &&
    height === display.height &&
    order === 0 &&
    bits === 32 &&
    size !== undefined &&
    stride !== undefined &&
    colours !== undefined
  const fixes = await display.ask<Fixes>((reply) => display.client.require('fixes', reply)).catch(() => undefined)
  if (!fits || fixes === undefined) {
    closeSync(file)
    return undefined
  }
  void display.closed.then(() => closeSync(file))
  const start = size + colours * 12
  const rowsOf = ({ x, y, w, h }: Rect): Buffer<ArrayBuffer> => {
    const rows = Buffer.allocUnsafe(stride * h)
    readSync(file, rows, 0, rows.length, start + stride * y)
    if (x === 0 && w * 4 === stride) return rows
    const cut = Buffer.allocUnsafe(w * h * 4)
    for (let row = 0; row < h; row++) rows.copy(cut, row * w * 4, row * stride + x * 4, row * stride + (x + w) * 4)
    return cut
  }
  return withoutCursor(display, fixes, rowsOf)
}

/** The file has the mouse pointer painted into it, which no request would give: what lies under it is asked for. */
function withoutCursor(display: Display, fixes: Fixes, rowsOf: (area: Rect) => Buffer<ArrayBuffer>): Grab {
  const ask = plain(display)
  const cursor = async (): Promise<Rect> => {
    // What was drawn before this call is in the file when the server has answered.
    const { x, y, width, height, xhot, yhot } = await display.ask<CursorImage>((reply) => fixes.GetCursorImage(reply))
    return { x: x - xhot, y: y - yhot, w: width, h: height }
  }
  return async (area) => {
    let before = await cursor()
    for (let go = 0; go < CURSOR_TRIES; go++) {
      const pixels = rowsOf(area)
      const after = await cursor()
      if (after.x === before.x && after.y === before.y && after.w === before.w && after.h === before.h) {
        const under = intersect(after, area)
        return under === undefined ? pixels : patch(pixels, area, under, await ask(under))
      }
      before = after
    }
    return ask(area)
  }
}

function patch(pixels: Buffer<ArrayBuffer>, area: Rect, part: Rect, by: Buffer): Buffer<ArrayBuffer> {
  for (let row = 0; row < part.h; row++) {
    const to = ((part.y - area.y + row) * area.w + part.x - area.x) * 4
    by.copy(pixels, to, row * part.w * 4, (row + 1) * part.w * 4)
  }
  return pixels
}

function whole(area: Rect): Rect {
  if (![area.x, area.y, area.w, area.h].every(Number.isFinite)) throw new DeskhandError('BAD_ARGS', 'the area to capture is no rectangle')
  const x = Math.floor(area.x)
  const y = Math.floor(area.y)
  return { x, y, w: Math.ceil(area.x + area.w) - x, h: Math.ceil(area.y + area.h) - y }
}

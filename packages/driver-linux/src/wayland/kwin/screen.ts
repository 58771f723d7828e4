import type { Pixels } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import { type Rect, intersect } from '@deskhand/core/model'
import type { Variant } from '../../dbus/index.ts'
import type { Allocate, Env } from '../../display-server.ts'
import type { Outputs } from '../outputs.ts'
import { socketPair } from '../socket-pair.ts'
import { FileBus } from './file-bus.ts'

const SHOTS = {
  destination: 'org.kde.KWin.ScreenShot2',
  path: '/org/kde/KWin/ScreenShot2',
  iface: 'org.kde.KWin.ScreenShot2',
} as const
const OPTIONS = new Map<string, Variant>([
  ['native-resolution', { type: 'b', value: true }],
  ['include-cursor', { type: 'b', value: false }],
])
/** Qt's numbers for pixels whose bytes are blue, green, red, alpha; and red, green, blue, alpha. */
const BLUE_FIRST: ReadonlySet<number> = new Set([4, 5, 6])
const RED_FIRST: ReadonlySet<number> = new Set([16, 17, 18])
const PIXELS_MS = 5000

/** Pictures through KWin's own interface for screenshots, which writes the pixels into a socket. */
export class KwinScreen {
  readonly #env: Env
  readonly #outputs: Outputs
  #bus: FileBus
  #last: Promise<unknown> = Promise.resolve()

  /** Throws NOT_CAPABLE where KWin lets nobody, or not this program, take pictures. */
  static async open(env: Env, outputs: Outputs): Promise<KwinScreen> {
    const screen = new KwinScreen(env, outputs, await FileBus.connect(env.DBUS_SESSION_BUS_ADDRESS ?? ''))
    const { x, y } = outputs.area
    try {
      await screen.grab({ x, y, w: 1, h: 1 })
      return screen
    } catch (error) {
      screen.close()
      throw error
    }
  }

  private constructor(env: Env, outputs: Outputs, bus: FileBus) {
    this.#env = env
    this.#outputs = outputs
    this.#bus = bus
  }

  /** An area, or everything; one picture after the other. */
  grab(area?: Rect, allocate: Allocate = (pixels) => new Uint32Array(pixels)): Promise<Pixels> {
    const grabbed = this.#last.then(() => this.#grab(area, allocate))
    this.#last = grabbed.catch(() => {})
    return grabbed
  }

  close(): void {
    this.#bus.close()
  }

  async #grab(wanted: Rect | undefined, allocate: Allocate): Promise<Pixels> {
    const whole = this.#outputs.area
    const part = wanted === undefined ? whole : intersect(wanted, whole)
    if (part === undefined) throw new DeskhandError('BAD_ARGS', 'the area to capture lies outside the screen')
    const [x, y] = [Math.floor(part.x), Math.floor(part.y)]
    const [w, h] = [Math.ceil(part.x + part.w) - x, Math.ceil(part.y + part.h) - y]
    if (!this.#bus.isOpen) this.#bus = await FileBus.connect(this.#env.DBUS_SESSION_BUS_ADDRESS ?? '')
    const { ours, theirs } = await socketPair(this.#env.XDG_RUNTIME_DIR ?? '')
    try {
      const answer = this.#bus.call({ ...SHOTS, member: 'CaptureArea' }, 'iiuua{sv}h', [x, y, w, h, OPTIONS, 0], 'a{sv}', theirs)
      const [told] = await answer.finally(() => theirs.destroy())
      const number = (name: string): number => Number(told.get(name)?.value)
      const [width, height, stride, format] = [number('width'), number('height'), number('stride'), number('format')]
      if (!(BLUE_FIRST.has(format) || RED_FIRST.has(format)) || !(width > 0 && height > 0 && stride >= width * 4))
        throw new DeskhandError('NOT_CAPABLE', `KWin gives pixels in format ${format}, which is not known`)
      const words = allocate(width * height)
      await readRows(ours, Buffer.from(words.buffer, words.byteOffset, words.byteLength), { width, stride })
      return { width, height, words, lowest: RED_FIRST.has(format) ? 'red' : 'blue', origin: { x, y }, scale: width / w }
    } finally {
      ours.destroy()
    }
  }
}

/** Reads rows of pixels as they come, without what pads them. */
async function readRows(
  from: AsyncIterable<Buffer> & { setTimeout(ms: number, late: () => void): void; destroy(error: Error): void },
  into: Buffer,
  { width, stride }: { width: number; stride: number },
): Promise<void> {
  from.setTimeout(PIXELS_MS, () => from.destroy(new DeskhandError('TIMEOUT', 'KWin did not send the pixels of its screen')))
  const row = width * 4
  const size = (into.length / row) * stride
  let at = 0
  for await (const part of from) {
    for (let taken = 0; taken < part.length && at < size;) {
      const column = at % stride
      const step = Math.min(stride === row ? size - at : stride - column, part.length - taken)
      if (stride === row) part.copy(into, at, taken, taken + step)
      else if (column < row) part.copy(into, Math.floor(at / stride) * row + column, taken, taken + Math.min(step, row - column))
      at += step
      taken += step
    }
    if (at >= size) return
  }
  throw new DeskhandError('DRIVER_FAILED', 'KWin sent less than its whole picture')
}

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { Pixels } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import { type Rect, contains, intersect } from '@deskhand/core/model'
import type { Allocate, Env } from '../../display-server.ts'
import { type Outputs, scaleOf } from '../outputs.ts'
import { Frames } from './frames.ts'
import type { Stream } from './portal.ts'

/** The program that reads frames. */
export const STREAMER = 'gst-launch-1.0'
/** While nothing is drawn the last frame comes again this often, so that a picture never waits for the next change. */
const AGAIN_MS = 20
const FIRST_MS = 15_000
const FRAME_MS = 5000
/** A frame half of which waits in the pipe, and one that waits behind it, are older than the question. */
const STALE = 2

/**
 * Pictures of a screen that a person shares. They come from a process of its own, which speaks PipeWire: Node aborts over the shared memory that
 * frames lie in. That process stands still while no picture is wanted.
 */
export class PipeWireScreen {
  readonly #bounds: Rect
  readonly #pixels: { w: number; h: number }
  readonly #scale: number
  readonly #child: ChildProcessByStdio<null, Readable, Readable>
  readonly #frames: Frames
  #said = ''
  #last: Promise<unknown> = Promise.resolve()

  /** Throws NOT_CAPABLE where the frames cannot be read. */
  static async open(stream: Stream, outputs: Pick<Outputs, 'all'>, env: Env): Promise<PipeWireScreen> {
    const output = outputs.all.find(({ bounds }) => contains(bounds, stream.bounds))
    if (output === undefined) throw new DeskhandError('NOT_CAPABLE', 'what the person shares is not a whole screen')
    const screen = new PipeWireScreen(stream.node, output.bounds, output.pixels, scaleOf(output), env)
    try {
      await screen.#take(FIRST_MS)
      return screen
    } catch (error) {
      screen.close()
      throw error
    }
  }

  private constructor(node: number, bounds: Rect, pixels: { w: number; h: number }, scale: number, env: Env) {
    this.#bounds = bounds
    this.#pixels = pixels
    this.#scale = scale
    const source = ['pipewiresrc', `path=${node}`, 'always-copy=true', `keepalive-time=${AGAIN_MS}`]
    const raw = `video/x-raw,format=BGRx,width=${pixels.w},height=${pixels.h}`
    const newest = ['queue', 'leaky=downstream', 'max-size-buffers=1', 'max-size-bytes=0', 'max-size-time=0']
    const pipeline = [...source, '!', 'videoconvert', '!', raw, '!', ...newest, '!', 'fdsink', 'fd=1', 'sync=false']
    this.#child = spawn(STREAMER, ['-q', ...pipeline], { env: env as NodeJS.ProcessEnv, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#frames = new Frames(this.#child.stdout, pixels.w * pixels.h * 4)
    this.#child.once('error', ({ message }) => {
      this.#said = message
      this.#child.stdout.destroy()
    })
    this.#child.stderr.on('data', (text: Buffer) => (this.#said = (this.#said + text.toString('utf8')).slice(-2000)))
  }

  /** An area, or everything; one picture after the other. */
  grab(area?: Rect, allocate: Allocate = (pixels) => new Uint32Array(pixels)): Promise<Pixels> {
    const grabbed = this.#last.then(() => this.#grab(area, allocate))
    this.#last = grabbed.catch(() => {})
    return grabbed
  }

  close(): void {
    this.#child.stdout.destroy()
    this.#child.kill('SIGKILL')
  }

  async #grab(wanted: Rect | undefined, allocate: Allocate): Promise<Pixels> {
    const part = wanted === undefined ? this.#bounds : intersect(wanted, this.#bounds)
    if (part === undefined) throw new DeskhandError('BAD_ARGS', 'the area to capture lies outside the screen that is shared')
    for (let i = 0; i < STALE; i++) await this.#take(FRAME_MS)
    const frame = await this.#take(FRAME_MS)
    const { w: rowPixels, h: rows } = this.#pixels
    const scale = this.#scale
    const left = Math.floor((part.x - this.#bounds.x) * scale)
    const top = Math.floor((part.y - this.#bounds.y) * scale)
    const width = Math.min(rowPixels, Math.ceil((part.x + part.w - this.#bounds.x) * scale)) - left
    const height = Math.min(rows, Math.ceil((part.y + part.h - this.#bounds.y) * scale)) - top
    const words = allocate(width * height)
    const into = Buffer.from(words.buffer, words.byteOffset, words.byteLength)
    for (let y = 0; y < height; y++) {
      const at = ((top + y) * rowPixels + left) * 4
      frame.copy(into, y * width * 4, at, at + width * 4)
    }
    return { width, height, words, lowest: 'blue', origin: { x: this.#bounds.x + left / scale, y: this.#bounds.y + top / scale }, scale }
  }

  async #take(ms: number): Promise<Buffer> {
    const frame = await this.#frames.next(ms)
    if (frame instanceof Buffer) return frame
    throw this.#failure(frame === 'late')
  }

  #failure(late: boolean): DeskhandError {
    const said = this.#said.trim().split('\n').at(-1) ?? ''
    return new DeskhandError(
      'NOT_CAPABLE',
      `the frames of the shared screen cannot be read${late ? ' in time' : ''}${said === '' ? '' : `: ${said}`}`,
      {
        next: `Install gstreamer1.0-tools and gstreamer1.0-pipewire, and consent again: deskhand consent give`,
      },
    )
  }
}

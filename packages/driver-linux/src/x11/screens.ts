import { DeskhandError } from '@deskhand/core/errors'
import { type Point, type PointerEvent, type Screen, contains } from '@deskhand/core/model'
import type { RandR } from 'x11'
import type { Display } from './display.ts'

const SCREEN_CHANGE = 1
const GET_MONITORS = 42
const HEADER = 24
const MONITOR = 24

/** The screens as they are by now, and what reaches them. */
export class Screens {
  /** One of them came, went, moved or has another size. */
  onChange: () => void = () => {}
  readonly #display: Display
  #known: Promise<Screen[]> | undefined

  static async open(display: Display): Promise<Screens> {
    const randr = await display.ask<RandR>((reply) => display.client.require('randr', reply)).catch(() => undefined)
    const screens = new Screens(display)
    randr?.SelectInput(display.root, SCREEN_CHANGE)
    await display.sync()
    return screens
  }

  private constructor(display: Display) {
    this.#display = display
    display.onEvent((event) => {
      const isChange = event.name === 'RRScreenChangeNotify' || (event.name === 'ConfigureNotify' && event.wid1 === display.root)
      if (!isChange) return
      this.#known = undefined
      this.onChange()
    })
  }

  /** Refuses to press, release or turn the wheel where no screen is: the server would do it at the nearest edge instead. */
  async mustReach(events: readonly PointerEvent[]): Promise<void> {
    const screens = await (this.#known ??= screensOf(this.#display))
    let at: Point | undefined
    for (const event of events) {
      if (event.type === 'move') at = event
      else if (event.type !== 'pause' && at !== undefined && !reaches(screens, at))
        throw new DeskhandError('NOT_ACTIONABLE', `no screen reaches to ${at.x}, ${at.y}`, {
          next: 'Take a new picture; the screens may have changed.',
        })
    }
  }
}

/** The monitors; where the server does not tell of any, the whole root window is one. An X server counts in pixels, so none is scaled. */
export async function screensOf(display: Display): Promise<Screen[]> {
  const whole: Screen = { id: 'screen-0', bounds: { x: 0, y: 0, w: display.width, h: display.height }, scale: 1, primary: true }
  try {
    const randr = await display.ask<RandR>((reply) => display.client.require('randr', reply))
    const screens = await monitors(display, randr)
    const first = screens[0]
    if (first === undefined) return [whole]
    if (!screens.some((s) => s.primary)) first.primary = true
    return screens
  } catch (error) {
    if (!display.isOpen) throw error
    return [whole]
  }
}

const reaches = (screens: readonly Screen[], at: Point): boolean => screens.some((s) => contains(s.bounds, at))

/** RandR 1.5, which the package does not speak: one request tells of outputs, and of monitors that are made of parts of them. */
async function monitors(display: Display, { majorOpcode }: RandR): Promise<Screen[]> {
  const { client } = display
  const request = Buffer.alloc(12)
  request.writeUInt8(majorOpcode, 0)
  request.writeUInt8(GET_MONITORS, 1)
  request.writeUInt16LE(3, 2)
  request.writeUInt32LE(display.root, 4)
  request.writeUInt8(1, 8)
  const body = await display.ask<Buffer>((reply) => {
    client.seq_num++
    client.pack_stream.put(request)
    client.replies[client.seq_num] = [(told) => Buffer.from(told), reply]
    client.pack_stream.submit(true)
  })
  const found: Promise<Screen>[] = []
  for (let at = HEADER, left = body.readUInt32LE(4); left > 0 && at + MONITOR <= body.length; left--) {
    const bounds = {
      x: body.readInt16LE(at + 8),
      y: body.readInt16LE(at + 10),
      w: body.readUInt16LE(at + 12),
      h: body.readUInt16LE(at + 14),
    }
    const name = body.readUInt32LE(at)
    const primary = body[at + 4] === 1
    found.push(display.ask<string>((reply) => client.GetAtomName(name, reply)).then((id) => ({ id, bounds, scale: 1, primary })))
    at += MONITOR + 4 * body.readUInt16LE(at + 6)
  }
  return Promise.all(found)
}

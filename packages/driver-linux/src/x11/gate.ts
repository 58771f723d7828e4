import type { ActivityLog } from '@deskhand/core/driver'
import type { XEvent } from 'x11'
import type { Display } from './display.ts'

/** Requests of XInput 2, which the package does not speak. */
const [GRAB, UNGRAB] = [51, 52]
const [ASYNCHRONOUS, GRABBED] = [1, 0]
/** Keys and buttons that are pressed and released, and motion. */
const EVENTS = 0b1111100
const KEY_REPEAT = 1 << 16
const TOLD: ReadonlySet<string> = new Set(['XIKeyPress', 'XIKeyRelease', 'XIButtonPress', 'XIButtonRelease', 'XIMotion'])

/**
 * Keeps from the desktop what other programs send through XTEST: its devices are grabbed, but for the moments in which the driver sends, and
 * then no other client is served. The X server lets go of them when this connection ends.
 */
export class XTestGate {
  readonly #display: Display
  readonly #opcode: number
  readonly #devices: readonly number[]

  /** Undefined where another program has grabbed one of these devices. */
  static async shut(display: Display, opcode: number, devices: readonly number[], activity: ActivityLog): Promise<XTestGate | undefined> {
    const gate = new XTestGate(display, opcode, devices)
    display.onEvent((event) => {
      if (gate.#isKept(event)) activity.stray(1, 1)
    })
    const answers = await Promise.all(devices.map((device) => gate.#grab(device)))
    if (answers.every((answer) => answer === GRABBED)) return gate
    devices.forEach((device) => gate.#ungrab(device))
    return undefined
  }

  private constructor(display: Display, opcode: number, devices: readonly number[]) {
    this.#display = display
    this.#opcode = opcode
    this.#devices = devices
  }

  /** What is sent meanwhile reaches the desktop. */
  pass(send: () => void): void {
    this.#display.hold()
    for (const device of this.#devices) this.#ungrab(device)
    send()
    for (const device of this.#devices) this.#grab(device).catch(() => {})
    this.#display.letGo()
  }

  #isKept({ name, deviceId, flags }: XEvent): boolean {
    const repeats = typeof flags === 'number' && (flags & KEY_REPEAT) !== 0
    return TOLD.has(name) && !repeats && typeof deviceId === 'number' && this.#devices.includes(deviceId)
  }

  #grab(device: number): Promise<number> {
    const { client, root } = this.#display
    const request = this.#request(GRAB, 28)
    request.writeUInt32LE(root, 4)
    request.writeUInt16LE(device, 16)
    request.writeUInt8(ASYNCHRONOUS, 18)
    request.writeUInt8(ASYNCHRONOUS, 19)
    request.writeUInt16LE(1, 22)
    request.writeUInt32LE(EVENTS, 24)
    return this.#display.ask((reply) => {
      client.seq_num++
      client.pack_stream.put(request)
      client.replies[client.seq_num] = [(told) => told.readUInt8(0), reply]
      client.pack_stream.submit(true)
    })
  }

  #ungrab(device: number): void {
    const { client } = this.#display
    const request = this.#request(UNGRAB, 12)
    request.writeUInt16LE(device, 8)
    client.seq_num++
    client.pack_stream.put(request)
    client.pack_stream.submit(false)
  }

  #request(minor: number, length: number): Buffer {
    const request = Buffer.alloc(length)
    request.writeUInt8(this.#opcode, 0)
    request.writeUInt8(minor, 1)
    request.writeUInt16LE(length / 4, 2)
    return request
  }
}

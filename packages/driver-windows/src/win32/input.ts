import { randomBytes } from 'node:crypto'
import { DeskhandError } from '@deskhand/core/errors'
import type { Button, Point } from '@deskhand/core/model'
import { user32 } from './api.ts'
import { virtualKey } from './keys.ts'

const SIZE = 40
const [MOUSE, KEYBOARD] = [0, 1]
const [EXTENDED, UP, UNICODE] = [1, 2, 4]
const MOVE_TO = 0x8001 | 0x4000
const [WHEEL, WHEEL_ACROSS, NOTCH] = [0x800, 0x1000, 120]
const BUTTONS: Readonly<Record<Button, { down: number; up: number; vk: number }>> = {
  left: { down: 2, up: 4, vk: 1 },
  right: { down: 8, up: 0x10, vk: 2 },
  middle: { down: 0x20, up: 0x40, vk: 4 },
}
const [SM_XVIRTUAL, SM_YVIRTUAL, SM_CXVIRTUAL, SM_CYVIRTUAL, SM_SWAPBUTTON] = [76, 77, 78, 79, 23]

/** Keyboard and mouse by SendInput. Every event carries this run's mark, which nothing outside this process knows beforehand. */
export class SendInput {
  readonly mark = randomBytes(8).readBigUInt64LE() | 1n
  readonly #keys = new Set<string>()
  readonly #buttons = new Set<Button>()

  held(): string[] {
    return [...this.#keys, ...this.#buttons]
  }

  move({ x, y }: Point): void {
    const across = user32.GetSystemMetrics(SM_CXVIRTUAL)
    const down = user32.GetSystemMetrics(SM_CYVIRTUAL)
    const dx = Math.ceil(((x - user32.GetSystemMetrics(SM_XVIRTUAL)) * 65536) / across)
    const dy = Math.ceil(((y - user32.GetSystemMetrics(SM_YVIRTUAL)) * 65536) / down)
    this.#send([this.#mouse(MOVE_TO, dx, dy)])
  }

  press(button: Button): void {
    this.#buttons.add(button)
    this.#send([this.#mouse(BUTTONS[physical(button)].down)])
  }

  release(button: Button): void {
    this.#send([this.#mouse(BUTTONS[physical(button)].up)])
    this.#buttons.delete(button)
  }

  /** Positive is right and down; Windows counts upwards. */
  wheel(dx: number, dy: number): void {
    if (dy !== 0) this.#send([this.#mouse(WHEEL, 0, 0, -dy * NOTCH)])
    if (dx !== 0) this.#send([this.#mouse(WHEEL_ACROSS, 0, 0, dx * NOTCH)])
  }

  keyDown(key: string): void {
    this.#keys.add(key)
    this.#send(this.#key(key, 0))
  }

  keyUp(key: string): void {
    this.#send(this.#key(key, UP))
    this.#keys.delete(key)
  }

  /** One character, exactly: line ends and tabs by their keys, anything else by its code. */
  character(character: string): void {
    const key = character === '\n' || character === '\r' ? 'Enter' : character === '\t' ? 'Tab' : undefined
    if (key !== undefined) return this.#send([...this.#key(key, 0), ...this.#key(key, UP)])
    const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i))
    this.#send([...units.map((unit) => this.#typed(0, unit, UNICODE)), ...units.map((unit) => this.#typed(0, unit, UNICODE | UP))])
  }

  releaseAll(): void {
    for (const key of [...this.#keys].reverse()) this.keyUp(key)
    for (const button of this.#buttons) this.release(button)
  }

  #key(key: string, up: number): Buffer[] {
    const found = virtualKey(key)
    if (found === undefined) return Array.from({ length: key.length }, (_, i) => this.#typed(0, key.charCodeAt(i), UNICODE | up))
    return [this.#typed(found.code, found.scan, (found.isExtended ? EXTENDED : 0) | up)]
  }

  #typed(code: number, scan: number, flags: number): Buffer {
    const input = Buffer.alloc(SIZE)
    input.writeUInt32LE(KEYBOARD, 0)
    input.writeUInt16LE(code, 8)
    input.writeUInt16LE(scan, 10)
    input.writeUInt32LE(flags, 12)
    input.writeBigUInt64LE(this.mark, 24)
    return input
  }

  #mouse(flags: number, dx = 0, dy = 0, data = 0): Buffer {
    const input = Buffer.alloc(SIZE)
    input.writeUInt32LE(MOUSE, 0)
    input.writeInt32LE(dx, 8)
    input.writeInt32LE(dy, 12)
    input.writeInt32LE(data, 16)
    input.writeUInt32LE(flags, 20)
    input.writeBigUInt64LE(this.mark, 32)
    return input
  }

  #send(inputs: Buffer[]): void {
    const sent = user32.SendInput(inputs.length, Buffer.concat(inputs), SIZE)
    if (sent < inputs.length)
      throw new DeskhandError(
        'NOT_ACTIONABLE',
        `Windows took ${sent} of ${inputs.length} events: another program blocks input, or the active window has higher rights`,
        {
          next: 'Run Deskhand with the same rights as the program that it operates, or choose another window.',
        },
      )
  }
}

/** Buttons are sent as the hardware has them; a left-handed setting swaps them afterwards. */
function physical(button: Button): Button {
  if (user32.GetSystemMetrics(SM_SWAPBUTTON) === 0 || button === 'middle') return button
  return button === 'left' ? 'right' : 'left'
}

export function pointerAt(): Point {
  const point = Buffer.alloc(8)
  user32.GetCursorPos(point)
  return { x: point.readInt32LE(0), y: point.readInt32LE(4) }
}

/** Lets go of every key and button that is down, whichever program pressed it. */
export function releaseEverything(): { keys: number; buttons: number } {
  const down = (vk: number): boolean => (user32.GetAsyncKeyState(vk) & 0x8000) !== 0
  const input = new SendInput()
  let [keys, buttons] = [0, 0]
  for (const button of ['left', 'right', 'middle'] as const) {
    if (!down(BUTTONS[button].vk)) continue
    input.release(button)
    buttons++
  }
  for (let vk = 8; vk < 255; vk++) {
    // The sides of a modifier are told apart; the key for both is up once they are.
    if ((vk >= 0x10 && vk <= 0x12) || !down(vk)) continue
    const event = Buffer.alloc(SIZE)
    event.writeUInt32LE(KEYBOARD, 0)
    event.writeUInt16LE(vk, 8)
    event.writeUInt32LE(UP, 12)
    user32.SendInput(1, event, SIZE)
    keys++
  }
  return { keys, buttons }
}

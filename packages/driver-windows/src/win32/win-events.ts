import koffi from 'koffi'
import { user32 } from './api.ts'

const [OUT_OF_CONTEXT, SKIP_OWN] = [0, 2]
/** Windows and menus that open, close or come to the front; elements that come, go, move, or change their name, value or state. */
const RANGES = [
  [0x3, 0x17],
  [0x8000, 0x80ff],
] as const
const POINTER = -9
const REMOVE = 1

const shape = koffi.proto(
  'void __stdcall WinEvent(intptr_t hook, uint32 event, intptr_t h, int32 object, int32 child, uint32 thread, uint32 ms)',
)
const setHook = koffi
  .load('user32.dll')
  .func('__stdcall', 'SetWinEventHook', 'intptr_t', [
    'uint32',
    'uint32',
    'intptr_t',
    koffi.pointer(shape),
    'uint32',
    'uint32',
    'uint32',
  ]) as (...args: (number | bigint)[]) => number

/** What applications tell Windows of their changes: that there was one, not which; some tell nothing. */
export class WinEvents {
  readonly #message = Buffer.alloc(48)
  readonly #hooks: number[]
  #hasChanged = false

  constructor() {
    const note = koffi.register((_hook: number, _event: number, _window: number, object: number) => {
      if (object !== POINTER) this.#hasChanged = true
    }, koffi.pointer(shape))
    this.#hooks = RANGES.map(([from, to]) => setHook(from, to, 0, note, 0, 0, OUT_OF_CONTEXT | SKIP_OWN))
  }

  /** Whether there was a change since the last question. */
  came(): boolean {
    // Windows calls while this thread takes its messages.
    while (user32.PeekMessageW(this.#message, 0, 0, 0, REMOVE) !== 0) user32.DispatchMessageW(this.#message)
    const came = this.#hasChanged
    this.#hasChanged = false
    return came
  }

  /** Something else told of a change. */
  note(): void {
    this.#hasChanged = true
  }

  close(): void {
    for (const hook of this.#hooks) user32.UnhookWinEvent(hook)
  }
}

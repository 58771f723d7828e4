import type { Point } from '@deskhand/core/model'
import { Apps } from '../apps.ts'
import { user32 } from '../win32/api.ts'
import type { Handle } from '../win32/library.ts'
import { ownerThread } from '../win32/window.ts'

/** Parts the names of programs in one word: no file of Windows has it in its name. */
export const BETWEEN = '|'

/** Programs into whose windows others may inject input, by the names of their files. */
export class Exceptions {
  readonly #names: ReadonlySet<string>
  /** The window that was asked about last: most events go where the one before went. */
  #last: { window: Handle; pid: number; isLet: boolean } = { window: 0, pid: 0, isLet: false }

  constructor(names: string) {
    this.#names = new Set(names.split(BETWEEN).flatMap((name) => (name === '' ? [] : [nameOf(name)])))
  }

  /** Whether an event is let through: to the window at a place, or without one to the window with the keyboard. */
  holdFor(at: Point | undefined): boolean {
    if (this.#names.size === 0) return false
    const window = at === undefined ? user32.GetForegroundWindow() : user32.WindowFromPoint(at.y * 2 ** 32 + (at.x >>> 0))
    const { pid } = ownerThread(window)
    if (window !== this.#last.window || pid !== this.#last.pid)
      this.#last = { window, pid, isLet: pid !== 0 && this.#names.has(nameOf(new Apps().of(pid).name)) }
    return this.#last.isLet
  }
}

const nameOf = (program: string): string => program.toLowerCase().replace(/\.exe$/, '')

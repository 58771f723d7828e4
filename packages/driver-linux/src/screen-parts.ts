import { type Rect, type Screen, covers, intersect } from '@deskhand/core/model'

/** What the screens show of windows that lie partly beyond them. */
export class ScreenParts {
  readonly #ask: () => Promise<readonly Screen[]>
  #screens: readonly Rect[] | undefined

  constructor(ask: () => Promise<readonly Screen[]>) {
    this.#ask = ask
  }

  /** The screens are to be asked for again. */
  forget(): void {
    this.#screens = undefined
  }

  async refresh(): Promise<void> {
    this.#screens ??= (await this.#ask()).map((s) => s.bounds)
  }

  /** The parts of a window that are on a screen; undefined where all of it is on one, or on several without a gap. */
  of(window: Rect): readonly Rect[] | undefined {
    const screens = this.#screens ?? []
    if (screens.length === 0 || screens.some((s) => covers(s, window))) return undefined
    const parts = screens.flatMap((s) => intersect(s, window) ?? [])
    const shown = parts.reduce((sum, p) => sum + p.w * p.h, 0)
    return shown >= window.w * window.h ? undefined : parts
  }
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Approval } from '@deskhand/core/model'

/** Pictures of questions as files that a person can open, readable by their owner only and gone with their question. */
export class PictureFiles {
  readonly #fetch: (id: string) => Promise<Uint8Array | undefined>
  readonly #shown = new Map<string, { file: string; png: Uint8Array } | undefined>()
  #dir?: string
  #over = false

  constructor(fetch: (id: string) => Promise<Uint8Array | undefined>) {
    this.#fetch = fetch
  }

  async update(waiting: readonly Approval[]): Promise<void> {
    for (const id of [...this.#shown.keys()]) if (!waiting.some((a) => a.id === id)) this.#forget(id)
    for (const { id, crop } of waiting) if (crop !== undefined && !this.#shown.has(id)) await this.#show(id)
  }

  url(id: string | undefined): string | undefined {
    const shown = this.#shown.get(id ?? '')
    return shown && pathToFileURL(shown.file).href
  }

  png(id: string | undefined): Uint8Array | undefined {
    return this.#shown.get(id ?? '')?.png
  }

  /** For good: a picture that is still on its way is not written any more. */
  readonly remove = (): void => {
    this.#over = true
    if (this.#dir !== undefined) rmSync(this.#dir, { recursive: true, force: true })
    this.#dir = undefined
  }

  async #show(id: string): Promise<void> {
    // Known from now on, so that two updates at once fetch it once.
    this.#shown.set(id, undefined)
    const png = await this.#fetch(id)
    if (png === undefined || this.#over || !this.#shown.has(id)) return
    this.#dir ??= mkdtempSync(join(tmpdir(), 'deskhand-'))
    const file = join(this.#dir, `${id}.png`)
    writeFileSync(file, png, { mode: 0o600 })
    this.#shown.set(id, { file, png })
  }

  #forget(id: string): void {
    const shown = this.#shown.get(id)
    this.#shown.delete(id)
    if (shown !== undefined) rmSync(shown.file, { force: true })
  }
}

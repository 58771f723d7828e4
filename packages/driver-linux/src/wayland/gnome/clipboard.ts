import type { Clipboard } from '../../display-server.ts'
import type { ShellLink } from './link.ts'

/** The clipboard, by our extension of the shell, which gives it to no program in the background. */
export class ShellClipboard implements Clipboard {
  readonly #link: ShellLink

  constructor(link: ShellLink) {
    this.#link = link
  }

  async write(text: string): Promise<void> {
    await this.#link.copy(text)
  }

  read(): Promise<string> {
    return this.#link.paste()
  }

  close(): void {}
}

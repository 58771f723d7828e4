import { createInterface, type Interface } from 'node:readline'

/** Puts questions to the person at standard input, one line each; there is no answer once it has ended. */
export class Asking {
  #lines?: AsyncIterator<string>
  #interface?: Interface

  async question(prompt: string): Promise<string | undefined> {
    process.stderr.write(prompt)
    this.#interface ??= createInterface({ input: process.stdin, crlfDelay: Infinity })
    this.#lines ??= this.#interface[Symbol.asyncIterator]()
    const { value, done } = await this.#lines.next()
    return done ? undefined : value.trim()
  }

  close(): void {
    this.#interface?.close()
  }
}

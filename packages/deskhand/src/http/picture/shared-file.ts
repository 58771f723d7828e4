import { closeSync, openSync, readSync } from 'node:fs'

/** A file in memory into which a driver writes pixels. It may lose its name once it is open. */
export class SharedFile {
  #open: { path: string; fd: number } | undefined
  /** Read into again and again: a new one for each update would cost more than reading. */
  #bytes = Buffer.alloc(0)

  /** Good until the next one is read. */
  read(path: string, at: number, size: number): Uint8Array {
    if (this.#open?.path !== path) {
      this.close()
      this.#open = { path, fd: openSync(path, 'r') }
    }
    if (this.#bytes.length < size) this.#bytes = Buffer.allocUnsafeSlow(size)
    readSync(this.#open.fd, this.#bytes, 0, size, at)
    return this.#bytes.subarray(0, size)
  }

  close(): void {
    if (this.#open !== undefined) closeSync(this.#open.fd)
    this.#open = undefined
  }
}

const FIRST = 256

/** Bytes of a client that are not read yet. A byte that comes moves none of those before it: a message may come in a hundred thousand parts. */
export class Received {
  #room = Buffer.allocUnsafeSlow(FIRST)
  #from = 0
  #to = 0

  get length(): number {
    return this.#to - this.#from
  }

  /** Good until more is added. */
  get bytes(): Buffer {
    return this.#room.subarray(this.#from, this.#to)
  }

  add(more: Buffer): void {
    if (this.#to + more.length > this.#room.length) this.#make(this.length + more.length)
    more.copy(this.#room, this.#to)
    this.#to += more.length
  }

  drop(count: number): void {
    this.#from += count
    if (this.#from < this.#to) return
    this.#from = this.#to = 0
    if (this.#room.length > FIRST) this.#room = Buffer.allocUnsafeSlow(FIRST)
  }

  #make(least: number): void {
    const room = Buffer.allocUnsafeSlow(least * 2)
    this.bytes.copy(room)
    this.#to = this.length
    this.#from = 0
    this.#room = room
  }
}

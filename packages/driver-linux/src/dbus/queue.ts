/** First in, first out. Taking one costs the same however many wait, which `Array.shift` does not promise. */
export class Queue<T> {
  #items: T[] = []
  #head = 0

  get items(): readonly T[] {
    return this.#head === 0 ? this.#items : this.#items.slice(this.#head)
  }

  push(item: T): void {
    this.#items.push(item)
  }

  shift(): T | undefined {
    const item = this.#items[this.#head]
    if (this.#head >= this.#items.length) return undefined
    if (++this.#head > 1000 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }

  keep(which: (item: T) => boolean): void {
    this.#items = this.items.filter(which)
    this.#head = 0
  }
}

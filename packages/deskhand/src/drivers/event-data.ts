/** Takes a stream of server-sent events as it comes and gives the data of each. What came before is not looked at again: pieces may be tiny. */
export class EventData {
  #line: string[] = []
  #data: string[] = []

  take(text: string): string[] {
    const [first = '', ...others] = text.split('\n')
    this.#line.push(first)
    const events: string[] = []
    for (const next of others) {
      const line = this.#line.join('').replace(/\r$/, '')
      this.#line = [next]
      if (line.startsWith('data:')) this.#data.push(line.slice('data:'.length).trimStart())
      if (line !== '') continue
      if (this.#data.some((part) => part !== '')) events.push(this.#data.join('\n'))
      this.#data = []
    }
    return events
  }
}

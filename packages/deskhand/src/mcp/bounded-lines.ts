import { Transform, type TransformCallback, type Writable } from 'node:stream'

/** Longer messages are answered and not read; below the limit of the transport, which stops reading for good. */
const LONGEST = 8 * 2 ** 20
/** So much of either end of a message that is too long is searched for its id. */
const ENDS = 4096

/** The lines of an MCP client. One that is too long or no JSON gets an error as its answer, and the ones behind it are served. */
export class BoundedLines extends Transform {
  readonly #replies: Writable
  #held: Buffer[] = []
  #size = 0
  /** The ends of a line that is too long, while the rest of it passes. */
  #tooLong: { head: string; tail: Buffer } | undefined

  constructor(replies: Writable) {
    super()
    this.#replies = replies
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#take(chunk.subarray(start, end + 1))
      this.#endLine()
      start = end + 1
    }
    if (start < chunk.length) this.#take(chunk.subarray(start))
    done()
  }

  #take(part: Buffer): void {
    this.#size += part.length
    if (this.#tooLong === undefined && this.#size <= LONGEST) return void this.#held.push(part)
    if (this.#tooLong === undefined) {
      const whole = Buffer.concat(this.#held)
      this.#tooLong = { head: whole.toString('utf8', 0, ENDS), tail: whole.subarray(-ENDS) }
      this.#held = []
    }
    this.#tooLong.tail = Buffer.concat([this.#tooLong.tail, part.subarray(-ENDS)]).subarray(-ENDS)
  }

  #endLine(): void {
    if (this.#tooLong === undefined) {
      const line = Buffer.concat(this.#held)
      if (isJson(line)) this.push(line)
      else this.#replies.write(errorLine(null, -32_700, 'This line is no JSON.'))
    } else {
      const { head, tail } = this.#tooLong
      const message = `A message of ${this.#size} bytes is over the limit of ${LONGEST}. Send less text in one call.`
      this.#replies.write(errorLine(idIn(head) ?? idIn(tail.toString('utf8')) ?? null, -32_600, message))
    }
    this.#held = []
    this.#size = 0
    this.#tooLong = undefined
  }
}

/** The transport passes over empty lines, and over what is no JSON. */
function isJson(line: Buffer): boolean {
  const text = line.toString('utf8').trim()
  try {
    return text === '' || JSON.parse(text) !== undefined
  } catch {
    return false
  }
}

/** A JSON-RPC error as a line. */
const errorLine = (id: string | number | null, code: number, message: string): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`

function idIn(text: string): string | number | undefined {
  const [, found] = /"id"\s*:\s*("(?:[^"\\]|\\.){0,200}"|-?\d{1,15})/.exec(text) ?? []
  return found === undefined ? undefined : (JSON.parse(found) as string | number)
}

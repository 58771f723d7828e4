import { execFile } from 'node:child_process'
import { appendFile, readFile, stat, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { DeskhandError } from '../errors.ts'
import { hasCode } from '../platform/index.ts'
import { type Signer, signedBy } from './keys.ts'

/** Where the head of a journal is kept a second time, out of reach of who can change both the journal and its own anchor. */
export type ExternalPlace = { file: string } | { command: readonly [string, ...string[]] } | { url: string }

/** The head of a journal, signed. */
export type Head = z.infer<typeof Head>
const Head = z.object({ v: z.literal(1), desktop: z.string(), seq: z.number().int(), head: z.string(), time: z.string(), key: z.string() })
const Signed = Head.extend({ signature: z.string() })

const ANSWER_MS = 10_000
/** A file longer than this is begun anew, unless it can only be appended to. */
const LONGEST_FILE = 1024 * 1024

/** The newest head of this desktop that the place has; undefined when it has none. Throws where the place does not answer, or what it says is not signed. */
export async function readHead(place: ExternalPlace, desktop: string): Promise<Head | undefined> {
  const lines = (await fetchFrom(place)).split('\n').filter((line) => line.trim() !== '')
  for (const line of lines.reverse()) {
    const read = Signed.safeParse(parse(line))
    if (!read.success || read.data.desktop !== desktop) continue
    const { signature, ...head } = read.data
    if (signedBy(head.key, bytesOf(head), signature)) return head
    throw unusable(place, 'its newest line is not signed by the key that it names')
  }
  if (lines.length > 0) throw unusable(place, `it holds nothing about ${desktop}`)
  return undefined
}

/** Hands heads on, one at a time: while one is under way, only the newest of the others waits. */
export class ExternalAnchor {
  readonly #place: ExternalPlace
  readonly #signer: Signer
  #waiting: Omit<Head, 'v' | 'key'> | undefined
  #sending: Promise<void> | undefined
  /** Why the last head could not be handed on. */
  failed: string | undefined

  constructor(place: ExternalPlace, signer: Signer) {
    this.#place = place
    this.#signer = signer
  }

  put(head: Omit<Head, 'v' | 'key'>): void {
    this.#waiting = head
    this.#sending ??= this.#send().finally(() => (this.#sending = undefined))
  }

  /** Resolves when what was put by now was handed on, or has failed. */
  async settled(): Promise<void> {
    await this.#sending
  }

  async #send(): Promise<void> {
    for (let next = this.#waiting; next !== undefined; next = this.#waiting) {
      this.#waiting = undefined
      const head: Head = { v: 1, desktop: next.desktop, seq: next.seq, head: next.head, time: next.time, key: this.#signer.key }
      const line = `${JSON.stringify({ ...head, signature: this.#signer.sign(bytesOf(head)) })}\n`
      try {
        await sendTo(this.#place, line)
        this.failed = undefined
      } catch (thrown) {
        this.failed = thrown instanceof Error ? thrown.message : String(thrown)
      }
    }
  }
}

const bytesOf = ({ v, desktop, seq, head, time, key }: Head): Buffer =>
  Buffer.from(`deskhand head ${JSON.stringify([v, desktop, seq, head, time, key])}`)

async function fetchFrom(place: ExternalPlace): Promise<string> {
  try {
    if ('file' in place) return await readFile(place.file, 'utf8')
    if ('command' in place) return await run(place.command, 'get', '')
    const answer = await fetch(place.url, { signal: AbortSignal.timeout(ANSWER_MS) })
    if (answer.status === 404) return ''
    if (!answer.ok) throw new Error(`it answers ${answer.status}`)
    return await answer.text()
  } catch (thrown) {
    if ('file' in place && hasCode(thrown, 'ENOENT')) return ''
    throw unusable(place, thrown instanceof Error ? thrown.message : String(thrown))
  }
}

async function sendTo(place: ExternalPlace, line: string): Promise<void> {
  if ('file' in place) {
    const size = (await stat(place.file).catch(() => undefined))?.size ?? 0
    const isShort = size + line.length <= LONGEST_FILE
    if (isShort) return appendFile(place.file, line, { mode: 0o600, flush: true })
    return writeFile(place.file, line, { mode: 0o600 }).catch(() => appendFile(place.file, line))
  }
  if ('command' in place) return void (await run(place.command, 'put', line))
  const answer = await fetch(place.url, { method: 'PUT', body: line, signal: AbortSignal.timeout(ANSWER_MS) })
  if (!answer.ok) throw new Error(`${place.url} answers ${answer.status}`)
}

/** The command with one more word, `put` or `get`: the head is on its standard input, or expected on its standard output. */
function run([program, ...args]: readonly [string, ...string[]], word: 'put' | 'get', input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, [...args, word], { timeout: ANSWER_MS, encoding: 'utf8' }, (error, stdout) =>
      error ? reject(new Error(`${program} ${word} failed: ${error.message.split('\n')[0]}`)) : resolve(stdout),
    )
    child.stdin?.on('error', () => {}).end(input)
  })
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const nameOf = (place: ExternalPlace): string => ('file' in place ? place.file : 'url' in place ? place.url : place.command.join(' '))

const unusable = (place: ExternalPlace, why: string): DeskhandError =>
  new DeskhandError('JOURNAL_BROKEN', `The external anchor ${nameOf(place)} cannot be used: ${why}.`, {
    next: 'Make it answer again, or name another one as anchor under [journal].',
  })

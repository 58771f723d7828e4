import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { DeskhandError } from '@deskhand/core/errors'
import { z } from 'zod'
import type { Clipboard, Env } from '../display-server.ts'

const ANSWER_MS = 5000

export const Question = z.object({ id: z.number(), write: z.string().optional() })
export type Question = z.infer<typeof Question>
const Answer = z.object({ id: z.number(), text: z.string().optional(), error: z.string().optional() })
export type Answer = z.infer<typeof Answer>

/**
 * The clipboard, in a process of its own: any application may hand over a file for the text to be written to, and Node aborts over some. What
 * we put there stays as long as that process does.
 */
export class WaylandClipboard implements Clipboard {
  readonly #env: Env
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #host: ChildProcess | undefined
  #count = 0

  constructor(env: Env) {
    this.#env = env
  }

  async write(text: string): Promise<void> {
    await this.#ask({ write: text })
  }

  async read(): Promise<string> {
    return (await this.#ask({})).text ?? ''
  }

  close(): void {
    this.#host?.disconnect()
    this.#host = undefined
  }

  async #ask(question: Omit<Question, 'id'>): Promise<Answer> {
    const host = (this.#host ??= this.#start())
    const id = ++this.#count
    const answer = await new Promise<Answer>((done) => {
      const timer = setTimeout(() => done({ id, error: 'the application that owns the clipboard does not answer' }), ANSWER_MS)
      this.#waiting.set(id, (told) => {
        clearTimeout(timer)
        done(told)
      })
      host.send({ id, ...question } satisfies Question)
    })
    this.#waiting.delete(id)
    if (answer.error !== undefined) throw new DeskhandError('APP_HUNG', answer.error)
    return answer
  }

  #start(): ChildProcess {
    const file = fileURLToPath(new URL(`./clipboard-host${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url))
    const { WAYLAND_DISPLAY, XDG_RUNTIME_DIR, PATH } = this.#env
    const host = fork(file, [], { env: { WAYLAND_DISPLAY, XDG_RUNTIME_DIR, PATH }, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
    host.on('message', (message) => {
      const answer = Answer.safeParse(message)
      if (answer.success) this.#waiting.get(answer.data.id)?.(answer.data)
    })
    const ended = (): void => {
      if (this.#host === host) this.#host = undefined
      for (const [id, tell] of this.#waiting) tell({ id, error: 'the clipboard was lost; an application broke the exchange' })
    }
    host.once('exit', ended)
    host.once('error', ended)
    return host
  }
}

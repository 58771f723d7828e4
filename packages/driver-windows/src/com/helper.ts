import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Ask } from './worker.ts'

/** How long an application may take over one question; its process's start is not counted. */
const ANSWER_MS = 4000
const STARTS_MS = 30_000

/** A failure that COM answered with, or none for one without a number. */
export class Refused extends Error {
  readonly result: number | undefined

  constructor(message: string, result?: number) {
    super(message)
    this.result = result
  }
}

/** Thrown when there was no answer in time: the process that waited for it is gone, with all that it knew. */
export class TooLate extends Error {}

interface Answer {
  id: number
  value?: unknown
  error?: string
  result?: number
}

/** Asks a process of its own what may block. One that does not answer in time is ended, and the next question starts another. */
export class ComHelper {
  #process: Promise<ChildProcess> | undefined
  #child: ChildProcess | undefined
  #next = 0
  #last: Promise<unknown> = Promise.resolve()

  /** One question after the other: the time of one is not spent on another. */
  ask<T>(ask: Ask, ms = ANSWER_MS): Promise<T> {
    const answer = this.#last.then(() => this.#ask<T>(ask, ms))
    this.#last = answer.catch(() => {})
    return answer
  }

  close(): void {
    this.#child?.kill('SIGKILL')
    this.#process = undefined
  }

  async #ask<T>(ask: Ask, ms: number): Promise<T> {
    const child = await (this.#process ??= this.#start())
    const id = ++this.#next
    return new Promise<T>((resolve, reject) => {
      const end = (settle: () => void): void => {
        clearTimeout(timer)
        child.off('message', onMessage)
        child.off('exit', onExit)
        settle()
      }
      const onMessage = (told: unknown): void => {
        const answer = told as Answer
        if (answer.id !== id) return
        end(() => (answer.error === undefined ? resolve(answer.value as T) : reject(new Refused(answer.error, answer.result))))
      }
      const onExit = (): void => end(() => reject(new TooLate('the process for calls into applications ended')))
      const timer = setTimeout(() => {
        this.close()
        end(() => reject(new TooLate(`no answer within ${ms} ms`)))
      }, ms)
      child.on('message', onMessage)
      child.once('exit', onExit)
      child.send({ id, ask })
    })
  }

  /** Resolves when the process takes questions. */
  #start(): Promise<ChildProcess> {
    const file = fileURLToPath(new URL(`./worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url))
    const child = fork(file, { stdio: 'ignore' })
    this.#child = child
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), STARTS_MS)
      child.once('message', () => {
        clearTimeout(timer)
        resolve(child)
      })
      child.once('exit', () => {
        clearTimeout(timer)
        if (this.#child === child) this.#process = undefined
        reject(new TooLate('the process for calls into applications did not start'))
      })
    })
  }
}

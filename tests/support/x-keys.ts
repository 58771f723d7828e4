import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

export interface XKey {
  code: number
  isDown: boolean
  /** When it was heard of. */
  at: number
}

/** Every key that the X server hears of, in its order, as a tool tells that knows nothing of Deskhand. */
export class XKeys {
  readonly heard: XKey[] = []
  readonly #child: ChildProcess
  #text = ''

  static async watch(env: NodeJS.ProcessEnv): Promise<XKeys> {
    const child = spawn('xinput', ['test-xi2', '--root'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    const keys = new XKeys(child)
    // It says which devices there are as soon as it listens.
    await once(child.stdout, 'data')
    return keys
  }

  private constructor(child: ChildProcess) {
    this.#child = child
    child.stdout?.setEncoding('utf8').on('data', (part: string) => this.#take(part))
  }

  async end(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.kill()
    await ended
  }

  #take(part: string): void {
    const at = performance.now()
    const told = (this.#text + part).split(/^(?=EVENT type)/m)
    // Of the last one more may come.
    const last = told.at(-1) ?? ''
    this.#text = /detail: \d+\n/.test(last) ? '' : last
    for (const one of told) {
      const [, kind, code] = /^EVENT type 1[34] \(RawKey(Press|Release)\)[^]*?detail: (\d+)\n/.exec(one) ?? []
      if (code !== undefined) this.heard.push({ code: Number(code), isDown: kind === 'Press', at })
    }
  }
}

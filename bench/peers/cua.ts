import { join } from 'node:path'
import { median, type Report } from '../report.ts'
import { Lines } from './lines.ts'

interface CuaAnswer {
  ms: number
  text: string
  data: { windows?: CuaWindow[]; elements?: CuaElement[] }
}

export interface CuaElement {
  element_token: string
  label?: string
  role: string
  enabled?: boolean
}

interface CuaWindow {
  pid: number
  window_id: number
  app_name: string
  title?: string
}

/** The same tools that its MCP server has, called in its own process: no pipe in its times. */
export class Cua {
  readonly #lines: Lines

  static async open(report: Report, dir: string, env: NodeJS.ProcessEnv): Promise<Cua | undefined> {
    const host = new URL('cua-host.mjs', import.meta.url)
    const entry = join(dir, 'node_modules', '@trycua', 'cua-driver', 'dist', 'index.js')
    const lines = new Lines(process.execPath, [host.pathname, entry], { ...env, CUA_TELEMETRY_ENABLED: 'false' })
    const cua = new Cua(lines)
    try {
      await cua.ask('list_windows', {})
      return cua
    } catch (error) {
      report.note(`cua-driver does not run here: ${String(error)}`)
      await lines.close()
      return undefined
    }
  }

  private constructor(lines: Lines) {
    this.#lines = lines
  }

  ask(name: string, args: object): Promise<CuaAnswer> {
    return this.#lines.ask<CuaAnswer>({ name, args })
  }

  async repeat(runs: number, name: string, args: object): Promise<{ ms: number; text: string }> {
    const answers: CuaAnswer[] = []
    for (let i = 0; i < runs; i++) answers.push(await this.ask(name, args))
    return { ms: median(answers.map((a) => a.ms)), text: answers.at(-1)?.text ?? '' }
  }

  async window(app: string): Promise<{ pid: number; window_id: number }> {
    const { data } = await this.ask('list_windows', {})
    const found = data.windows?.find((w) => w.app_name === app)
    if (found === undefined) throw new Error(`cua sees no window of ${app}`)
    return { pid: found.pid, window_id: found.window_id }
  }

  close(): Promise<void> {
    return this.#lines.close()
  }
}

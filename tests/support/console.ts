import type { Browser } from 'playwright-core'
import { launchBrowser, openPage } from './browser.ts'
import { World, type Up } from './cli.ts'

type ConsolePage = Awaited<ReturnType<typeof openPage>>

interface Called {
  status: string
  effect: string
  op: string
  data?: unknown
  error?: { code: string; message: string }
}

/** The real server, on the simulated desktop unless it is told otherwise, a real browser with its console open, and a real agent beside it. */
export class ConsoleWorld {
  readonly world: World
  up!: Up
  browser!: Browser
  page!: ConsolePage

  #args: readonly string[] = []

  private constructor(env: Record<string, string>) {
    this.world = new World(env)
  }

  /** Rules and the rest of a configuration, as TOML; `before` may put something into the state folder, and answer with more for `up`. */
  static async open(
    rules: string,
    config = '',
    env: Record<string, string> = {},
    before?: (state: string) => Promise<void | readonly string[]>,
  ): Promise<ConsoleWorld> {
    const made = new ConsoleWorld(env)
    made.world.file('rules.toml', rules)
    made.world.file('deskhand.toml', `[policy]\nfiles = ["rules.toml"]\n${config}`)
    try {
      made.#args = (await before?.(made.world.env['DESKHAND_STATE'] ?? '')) ?? []
      made.up = await made.world.server(...made.#args)
      made.browser = await launchBrowser()
      made.page = await made.signIn()
      return made
    } catch (thrown) {
      await made.end()
      throw thrown
    }
  }

  /** A link that opens the console once. */
  async link(): Promise<string> {
    const { out } = await this.world.run(['up', '--json', ...this.#args])
    return (JSON.parse(out) as { open: string }).open
  }

  /** One more browser of the operator's, by a link of its own. */
  async signIn(size: Parameters<typeof openPage>[1] = {}): Promise<ConsolePage> {
    const page = await openPage(this.browser, size)
    await page.goto(await this.link())
    await page.getByRole('heading', { name: /question/ }).waitFor()
    return page
  }

  /** A call of a real agent, by the command with its options. */
  async call(tool: string, args: unknown, ...options: string[]): Promise<Called> {
    const { out } = await this.world.run(['call', tool, JSON.stringify(args), ...options])
    return JSON.parse(out) as Called
  }

  async found(selector: string): Promise<boolean> {
    return (await this.world.run(['call', 'ui.query', JSON.stringify({ selector })])).code === 0
  }

  /** The record as the command reads it. */
  async journal(): Promise<Record<string, unknown>[]> {
    const { out } = await this.world.run(['journal', 'list', '--json'])
    return out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  }

  async end(): Promise<void> {
    await this.browser?.close()
    await this.world.end()
  }
}

import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { basename, join } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import type { ElementNode } from '@deskhand/core/model'
import { expect } from 'vitest'
import { markOf } from '../../packages/deskhand/src/desktop/environment.ts'
import { marked } from '../../packages/deskhand/src/desktop/process.ts'
import { type Sandbox, type SandboxOptions, bringUp } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { mustAgree } from './agree.ts'
import { noteQuestions } from './questions.ts'
import { use, World } from './cli.ts'
import { fixture, PYTHON } from './linux.ts'
import { starting } from './starting.ts'

/** The calls that change something. */
const STEPS = /^ui\.(?!snapshot|query|assert)|^desktop\.launch$/

/** The selector as an argument of a tool. */
type Args = Record<string, unknown>

/** A sandbox desktop under the `sandbox` preset with a real MCP client at it; and eyes that share nothing with us. */
export class AppDesk {
  readonly world: World
  readonly sandbox: Sandbox
  readonly client: Client
  readonly #journal: string
  readonly #started: number[] = []

  static async open(options: Pick<SandboxOptions, 'width' | 'height' | 'display'> = {}): Promise<AppDesk> {
    const world = new World()
    let sandbox: Sandbox | undefined
    try {
      sandbox = await starting(bringUp({ stateDir: join(world.env['DESKHAND_STATE']!, 'sandboxes'), ...options }))
      const { ready } = await world.up('--desktop', 'sandbox', '--sandbox', sandbox.record.id, '--preset', 'sandbox')
      return new AppDesk(world, sandbox, await world.mcp(), ready.journal)
    } catch (error) {
      await sandbox?.down()
      await world.end()
      throw error
    }
  }

  private constructor(world: World, sandbox: Sandbox, client: Client, journal: string) {
    this.world = world
    this.sandbox = sandbox
    this.client = client
    this.#journal = journal
  }

  /** The journal of everything that was done must verify. */
  async close(): Promise<void> {
    try {
      const verified = await this.world.run(['journal', 'verify', this.#journal])
      expect(verified, verified.err).toMatchObject({ code: 0 })
      await noteQuestions(basename(expect.getState().testPath ?? 'story'), this.#journal)
    } finally {
      await this.sandbox.down()
      await this.world.end()
    }
  }

  /** Calls a tool, which must succeed. A call that takes long is waited for. */
  async use(tool: string, args: Args = {}): Promise<Args> {
    let { record, text } = await use(this.client, tool, args)
    while (record['error']?.code === 'RUNNING') {
      ;({ record, text } = await use(this.client, 'op.wait', { op: record['error'].details.op }))
    }
    expect(record, `${tool} ${JSON.stringify(args)}\n${text}`).toMatchObject({ status: 'success' })
    // Each story is also told without: the reader may repair what it looks at.
    if (process.env['DESKHAND_COMPARE'] === '1' && STEPS.test(tool)) await this.#mustAgree(`after ${tool} ${JSON.stringify(args)}`)
    return record
  }

  #mustAgree(when: string): Promise<void> {
    const { width, height } = this.sandbox.record
    const tree = async (): Promise<ElementNode> => {
      const { record } = await use(this.client, 'ui.snapshot', { scope: 'desktop', includeTree: true })
      return (record['data'] as { tree: ElementNode }).tree
    }
    return mustAgree({ tree, run: (...command) => this.outside(...command), screen: { x: 0, y: 0, w: width, h: height } }, when)
  }

  /** Starts an application and gives its pid. */
  async launch(app: string, ...args: string[]): Promise<number> {
    const { data } = await starting(this.use('desktop.launch', { app, args, timeoutMs: 60_000 }))
    const { pid } = data as { pid: number }
    this.#started.push(pid)
    return pid
  }

  /** Ends every program that a case started, even a stopped one, and waits until its windows are gone: the next case finds an empty desktop. */
  async clear(): Promise<void> {
    const here = async (): Promise<number[]> =>
      ((await this.use('desktop.list'))['data'] as { applications: { pid: number }[] }).applications.map((a) => a.pid)
    // A launcher may have ended while the application that it started goes on.
    const ours = new Set([...this.#started.splice(0), ...(await here())])
    for (const { pid } of marked(markOf(this.sandbox.record.id))) if (ours.has(pid)) end(pid)
    await expect.poll(here, { timeout: 20_000 }).toEqual([])
  }

  click(target: string, more: Args = {}): Promise<Args> {
    return this.use('ui.click', { target, timeoutMs: 10_000, ...more })
  }

  /** Clicks and must see the target itself change as it should. */
  async toggle(target: string): Promise<void> {
    expect(await this.click(target)).toMatchObject({ effect: 'confirmed' })
  }

  type(text: string, more: Args = {}): Promise<Args> {
    return this.use('ui.type', { text, timeoutMs: 10_000, ...more })
  }

  key(...keys: string[]): Promise<Args> {
    return this.use('ui.key', { keys })
  }

  wait(until: Args, timeoutMs = 40_000): Promise<Args> {
    return this.use('ui.wait', { until, timeoutMs })
  }

  shows(target: string): Promise<Args> {
    return this.wait({ uiState: { target, visible: true } })
  }

  /** What another program finds on the clipboard. */
  clipboard(): Promise<string> {
    return this.outside(PYTHON, fixture('clipboard_gtk3.py'), 'get')
  }

  /** What pyatspi finds: one line of JSON for each element, with its role, name, value, text and states. */
  async seen(): Promise<Seen[]> {
    const lines = await this.outside(PYTHON, fixture('dump_atspi.py'))
    return lines
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Seen)
  }

  /** A picture of the whole screen, as an agent gets it. */
  async picture(): Promise<Buffer> {
    const { content } = await this.client.callTool({ name: 'gui_screenshot', arguments: {} })
    const image = content.find((part) => part.type === 'image')
    return Buffer.from(image?.data ?? '', 'base64')
  }

  /** What another program says about this desktop, at once; nothing where it fails. */
  asked(command: string, ...args: string[]): string {
    const { stdout } = spawnSync(command, args, { env: this.sandbox.env, encoding: 'utf8' })
    return stdout
  }

  /** A program on this desktop that we are not: its output. */
  outside(command: string, ...args: string[]): Promise<string> {
    return new Promise((done, fail) => {
      const options = { env: this.sandbox.env, encoding: 'utf8' as const, timeout: 120_000, maxBuffer: 1 << 26 }
      execFile(command, args, options, (error, out) => (error ? fail(error) : done(out)))
    })
  }

  /** Starts a program and hears its output and its exit code, which a launch does not tell. */
  start(command: string, ...args: string[]): { child: ChildProcess; ended: Promise<{ code: number | null; out: string }> } {
    const child = spawn(command, args, { env: this.sandbox.env, cwd: this.sandbox.env.HOME, stdio: ['ignore', 'pipe', 'ignore'] })
    if (child.pid !== undefined) this.#started.push(child.pid)
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (s: string) => (out += s))
    const ended = new Promise<{ code: number | null; out: string }>((done) => {
      child.once('error', (error) => done({ code: null, out: error.message }))
      child.once('close', (code) => done({ code, out }))
    })
    return { child, ended }
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself.
  }
}

/** An element as pyatspi describes it. */
export interface Seen {
  role: string
  name: string
  value: number | null
  text: string | null
  /** What is chosen in a combobox. */
  chosen: string | null
  states: string[]
}

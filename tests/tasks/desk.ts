import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '@deskhand/core/errors'
import { installLine, notInstalled } from '../../packages/deskhand/src/desktop/packages.ts'
import { BIN } from '../support/cli.ts'
import { Home, type Task } from './task.ts'

const here = (file: string): string => resolve(import.meta.dirname, file)
/** A desktop that an agent left alone for so many minutes ends by itself, and its servers with it. */
const IDLE_MINUTES = '60'
const START_MS = 30_000

/** What is known of a task that runs. */
interface Running {
  broker: number
  home: string
  sandbox: string
}

/** A task on a desktop of its own: its folder has the command `deskhand`, which writes down what goes through it. */
export class TaskDesk {
  readonly task: Task
  readonly dir: string

  constructor(task: Task, dir: string) {
    this.task = task
    this.dir = dir
  }

  get command(): string {
    return join(this.dir, 'deskhand')
  }

  get tape(): string {
    return join(this.dir, 'calls.jsonl')
  }

  /** The record of everything that was done here. */
  get journal(): string {
    return (JSON.parse(readFileSync(join(this.dir, 'up.out'), 'utf8').split('\n')[0] ?? '') as { journal: string }).journal
  }

  get home(): Home {
    const { home, sandbox } = this.#running()
    return new Home(home, this.#environment(sandbox))
  }

  get isRunning(): boolean {
    return existsSync(join(this.dir, 'task.json'))
  }

  /** Brings the desktop up with everything that the task begins with. */
  async start(): Promise<void> {
    const { id, packages, server, prepare, open } = this.task
    const absent = (await notInstalled(packages)) ?? []
    if (absent.length > 0) throw new DeskhandError('MISSING_PACKAGE', `${id} needs ${absent.join(', ')}`, { next: installLine(absent) })
    if (this.isRunning) throw new DeskhandError('BAD_ARGS', `${id} runs already`, { next: `End it with: npm run tasks -- stop ${id}` })
    mkdirSync(this.dir, { recursive: true })
    this.#script('deskhand', 'face.mjs')
    this.#script('mcp-call', 'mcp-call.mjs')
    const broker = await this.#up()
    const [sandbox] = JSON.parse(this.#run('desktop', 'list', '--json')) as { id: string; dir: string }[]
    if (sandbox === undefined) throw new DeskhandError('INTERNAL', 'no sandbox came up')
    const running: Running = { broker, home: join(sandbox.dir, 'home'), sandbox: sandbox.id }
    writeFileSync(join(this.dir, 'task.json'), JSON.stringify(running))
    const { home } = this
    prepare?.(home)
    const address = server === undefined ? '' : await this.#serve(server, home, broker)
    for (const command of open) {
      const words = command.map((word) => word.replace('~/', `${home.dir}/`).replace('{server}', address))
      this.#run('desktop', 'run', '--detach', sandbox.id, '--', ...words)
    }
    // The agent comes to a desktop on which something is open.
    if (open.length > 0) this.#run('wait', JSON.stringify({ window: { present: true } }), '--timeout-ms', String(START_MS))
  }

  /** Ends the desktop, its programs and its servers. */
  stop(): void {
    if (this.isRunning) this.#run('down')
    rmSync(this.dir, { recursive: true, force: true })
  }

  check(): string[] {
    return this.task.check(this.home)
  }

  #running(): Running {
    if (!this.isRunning)
      throw new DeskhandError('BAD_ARGS', `${this.task.id} does not run`, { next: `Start it with: npm run tasks -- start ${this.task.id}` })
    return JSON.parse(readFileSync(join(this.dir, 'task.json'), 'utf8')) as Running
  }

  get #env(): NodeJS.ProcessEnv {
    return { PATH: process.env['PATH'], HOME: this.dir, DESKHAND_STATE: join(this.dir, 'state') }
  }

  #script(name: string, file: string): void {
    const path = join(this.dir, name)
    writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${here(file)}' '${BIN}' '${this.dir}' "$@"\n`)
    chmodSync(path, 0o755)
  }

  /** A command of the operator's: not on the tape. */
  #run(...args: string[]): string {
    const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], { env: this.#env, cwd: this.dir, encoding: 'utf8' })
    if (status !== 0) throw new DeskhandError('INTERNAL', `deskhand ${args.join(' ')}: ${stdout}${stderr}`)
    return stdout
  }

  async #up(): Promise<number> {
    const args = [
      BIN,
      '--name',
      this.task.id,
      'up',
      '--no-http',
      '--json',
      '--desktop',
      'sandbox',
      '--preset',
      'sandbox',
      '--idle',
      IDLE_MINUTES,
    ]
    return this.#background('up', args, this.#env)
  }

  async #serve(kind: string, home: Home, broker: number): Promise<string> {
    mkdirSync(home.path('server'), { recursive: true })
    await this.#background('server', [here('server.mjs'), kind, home.dir, String(broker)], this.#env)
    return (JSON.parse(readFileSync(join(this.dir, 'server.out'), 'utf8')) as { address: string }).address
  }

  /** Starts a process that stays, and waits for its first line. */
  async #background(name: string, args: string[], env: NodeJS.ProcessEnv): Promise<number> {
    const [out, err] = ['out', 'err'].map((end) => join(this.dir, `${name}.${end}`)) as [string, string]
    const child = spawn(process.execPath, args, {
      env,
      cwd: this.dir,
      detached: true,
      stdio: ['ignore', openSync(out, 'w'), openSync(err, 'w')],
    })
    child.unref()
    const end = Date.now() + START_MS
    while (!readFileSync(out, 'utf8').includes('\n')) {
      if (child.exitCode !== null || Date.now() > end)
        throw new DeskhandError('INTERNAL', `${name} did not start: ${readFileSync(err, 'utf8')}`)
      await sleep(20)
    }
    return child.pid!
  }

  /** What programs of the desktop have in their environment, for looking at it from outside. */
  #environment(sandbox: string): NodeJS.ProcessEnv {
    const lines = this.#run('desktop', 'env', sandbox).matchAll(/^export ([A-Z_0-9]+)='?(.*?)'?;?$/gm)
    return Object.fromEntries([...lines].map(([, name, value]) => [name, value]))
  }
}

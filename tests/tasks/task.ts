import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { spawnSync } from 'node:child_process'

/** Something that a person would do with Debian's applications, with a judge that looks at what was left behind and not at the screen. */
export interface Task {
  /** Also the name of its desktop. */
  id: string
  packages: readonly string[]
  /** What the agent is told; `~` is the home of the desktop. */
  instruction: string
  /** Files before anything starts. */
  prepare?(home: Home): void
  /** What runs beside the desktop: it writes what it was sent into the home's folder `server`. */
  server?: 'web' | 'smtp'
  /** Programs that are open when the agent comes; `~` and `{server}` are filled in. */
  open: readonly (readonly string[])[]
  /** What an agent that made no superfluous call would send: each is what can be known from the answers before it. */
  solution: readonly Step[]
  /** What is not as it should be, in words; nothing where the task is done. */
  check(home: Home): string[]
  /** Plausible wrong ends, made by hand: the judge must see each. */
  wrong: Readonly<Record<string, (home: Home) => void>>
}

/** Several steps that can be sent at once, as everything they need is in view. */
export const batch = (...steps: Step[]): Step => ['ui.batch', { steps: steps.map(([tool, args]) => ({ tool, args })) }]

/** A tool call. In its texts `~/` is the home of the desktop, and `@` with a regular expression what its group last matched in the answers so far. */
export type Step = readonly [tool: string, args: Record<string, unknown>]

/** The home folder of a task's desktop, and what can be asked from outside. */
export class Home {
  readonly dir: string
  readonly env: NodeJS.ProcessEnv

  constructor(dir: string, env: NodeJS.ProcessEnv = {}) {
    this.dir = dir
    this.env = { PATH: process.env['PATH'], HOME: dir, ...env }
  }

  path(name: string): string {
    return join(this.dir, name)
  }

  has(name: string): boolean {
    return existsSync(this.path(name))
  }

  /** The text of a file; empty where there is none. */
  read(name: string): string {
    return this.has(name) ? readFileSync(this.path(name), 'utf8') : ''
  }

  bytes(name: string): Buffer {
    return this.has(name) ? readFileSync(this.path(name)) : Buffer.alloc(0)
  }

  write(name: string, text: string | Uint8Array): void {
    mkdirSync(dirname(this.path(name)), { recursive: true })
    writeFileSync(this.path(name), text)
  }

  /** Replaces a part of a file that must be there. */
  edit(name: string, from: string, to: string): void {
    const text = this.read(name)
    if (!text.includes(from)) throw new Error(`${name} has no ${from}`)
    this.write(name, text.replaceAll(from, to))
  }

  /** What a program prints, run in this home. */
  ask(command: string, ...args: string[]): string {
    return spawnSync(command, args, { env: this.env, cwd: this.dir, encoding: 'utf8' }).stdout ?? ''
  }
}

/** The sentences that do not hold. */
export function failing(sentences: Record<string, boolean>): string[] {
  return Object.entries(sentences).flatMap(([sentence, holds]) => (holds ? [] : [sentence]))
}

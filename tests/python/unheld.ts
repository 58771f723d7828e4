import { spawn } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Attempt } from './attempts/attempt.ts'
import { tryAll, type Run } from './trial.ts'
import { openWorld, type World } from './world.ts'

/** Interpreters with nothing around them: the attempts are worth something only if they get through here, and the judge sees it. */
export class Unheld {
  readonly #world: World
  /** Beside the world, which must not change unless something is reached. */
  readonly #scratch: string

  static async open(): Promise<Unheld> {
    return new Unheld(await openWorld(), await mkdtemp('/var/tmp/deskhand-control-'))
  }

  private constructor(world: World, scratch: string) {
    this.#world = world
    this.#scratch = scratch
  }

  /** Whether an attempt gets somewhere in the Python of the system. */
  async reaches(attempt: Attempt): Promise<boolean> {
    // What a sandbox has to itself under /tmp is shared by all programs here.
    const housed = { ...attempt, code: attempt.code.replaceAll('/tmp', this.#scratch) }
    const [verdict] = await tryAll([housed], this.#program('/usr/bin/python3', ['-I', '-']), this.#world)
    await this.#world.reset()
    for (const name of await readdir(this.#scratch)) await rm(join(this.#scratch, name), { recursive: true, force: true })
    return verdict !== undefined && verdict.reached.length > 0
  }

  /** The names of the attempts that get through the bridge of the bundled interpreter where nothing seals it. */
  async reachedByBridge(attempts: Attempt[]): Promise<string[]> {
    const bare = fileURLToPath(new URL('./bare.mjs', import.meta.url))
    const verdicts = await tryAll(attempts, this.#program(process.execPath, [bare]), this.#world, 8)
    return verdicts.filter((each) => each.reached.length > 0).map((each) => each.attempt.name)
  }

  async close(): Promise<void> {
    await this.#world.close()
    await rm(this.#scratch, { recursive: true, force: true })
  }

  #program(command: string, args: string[]): Run {
    return (code) =>
      new Promise((resolve) => {
        const child = spawn(command, args, { cwd: this.#world.root, detached: true, env: { ...process.env, TMPDIR: this.#scratch } })
        const out = { stdout: '', stderr: '' }
        child.stdout.on('data', (chunk) => (out.stdout += chunk))
        child.stderr.on('data', (chunk) => (out.stderr += chunk))
        const slow = setTimeout(() => kill(child.pid), 20_000)
        child.once('exit', () => {
          clearTimeout(slow)
          setTimeout(() => kill(child.pid), 200)
        })
        child.once('close', (status) => resolve({ ...out, ended: status === 0 ? undefined : `status ${status}` }))
        child.stdin.end(code)
      })
  }
}

function kill(group: number | undefined): void {
  try {
    if (group) process.kill(-group, 'SIGKILL')
  } catch {
    // The whole group has ended.
  }
}

import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { BIN, type World } from './cli.ts'

/** A real terminal of 80 by 24 in which the command runs; afterwards it tells the exit code and how the terminal was left. */
export class Pane {
  readonly #socket: string

  constructor(world: World, args: readonly string[], env: Record<string, string> = {}) {
    this.#socket = join(world.dir, 'tmux')
    const given = Object.entries(env).map(([k, v]) => `${k}='${v}'`)
    const command = `${given.join(' ')} '${process.execPath}' '${BIN}' ${args.join(' ')}; echo "exit $?, left $(stty -a | grep -oE -- '-?(icanon|echo) ' | tr -d '\\n')."; exec sleep 600`
    const server = spawnSync('tmux', ['-S', this.#socket, '-f', '/dev/null', '-u', 'new-session', '-d', '-x', '80', '-y', '24', command], {
      env: { ...world.env, LANG: 'C.UTF-8', SHELL: '/bin/sh' },
      cwd: world.dir,
    })
    if (server.status !== 0) throw new Error(`tmux: ${String(server.stderr)}`)
  }

  keys(...keys: string[]): void {
    this.#tmux('send-keys', ...keys)
  }

  /** Characters as they are, whatever tmux would call them. */
  type(text: string): void {
    this.#tmux('send-keys', '-l', text)
  }

  screen(): string {
    return this.#tmux('capture-pane', '-p')
  }

  async until(wanted: string | RegExp): Promise<string> {
    let screen = ''
    for (let i = 0; i < 200; i++) {
      screen = this.screen()
      if (typeof wanted === 'string' ? screen.includes(wanted) : wanted.test(screen)) return screen
      await sleep(50)
    }
    throw new Error(`${String(wanted)} never showed; the terminal has:\n${screen}`)
  }

  /** Types the two letters that stand before an answer, as a person does who has read the question. */
  async answer(label: string): Promise<void> {
    const shown = new RegExp(`(?:^| )([a-z]{2}) ${label}(?: |$)`, 'm')
    const code = shown.exec(await this.until(shown))?.[1] ?? ''
    await sleep(700)
    this.type(code)
  }

  /** Bytes as a terminal sends them. */
  bytes(text: string): void {
    this.#tmux('send-keys', '-H', ...Array.from(Buffer.from(text), (b) => b.toString(16)))
  }

  /** The command that runs in it. */
  pid(): number {
    const shell = this.#tmux('display-message', '-p', '#{pane_pid}').trim()
    return Number(readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').trim().split(' ')[0])
  }

  end(): void {
    spawnSync('tmux', ['-S', this.#socket, 'kill-server'])
  }

  #tmux(...args: string[]): string {
    return execFileSync('tmux', ['-S', this.#socket, ...args], { encoding: 'utf8' })
  }
}

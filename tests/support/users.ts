import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BIN, type Finished } from './cli.ts'

export interface User {
  uid: number
  groups: readonly number[]
  home: string
}

/** Users that exist as numbers only, for as long as a test runs: nothing is added to the system. */
export class Users {
  readonly dir = mkdtempSync(join(tmpdir(), 'dh-users-'))
  readonly #started: ChildProcessWithoutNullStreams[] = []

  constructor() {
    chmodSync(this.dir, 0o755)
  }

  add(uid: number, ...groups: number[]): User {
    const home = join(this.dir, String(uid))
    mkdirSync(home, { mode: 0o700 })
    chownSync(home, uid, uid)
    return { uid, groups, home }
  }

  /** A folder of a user's that others may pass through. */
  folder(name: string, owner: User, mode = 0o755): string {
    const dir = join(this.dir, name)
    mkdirSync(dir)
    chownSync(dir, owner.uid, owner.uid)
    chmodSync(dir, mode)
    return dir
  }

  /** The words that make a command run as this user, with these groups and none of ours. */
  prefix({ uid, groups }: User): [string, ...string[]] {
    const given = groups.length === 0 ? ['--clear-groups'] : ['--groups', groups.join(',')]
    return ['setpriv', '--reuid', String(uid), '--regid', String(uid), ...given, '--']
  }

  start(user: User, command: readonly string[], env: Record<string, string> = {}): ChildProcessWithoutNullStreams {
    const [program, ...args] = [...this.prefix(user), ...command]
    const child = spawn(program, args, {
      cwd: user.home,
      env: { PATH: process.env['PATH'] ?? '', HOME: user.home, DESKHAND_STATE: join(user.home, 'state'), ...env },
    })
    this.#started.push(child)
    return child
  }

  deskhand(user: User, args: readonly string[], env: Record<string, string> = {}): Promise<Finished> {
    return this.run(user, [process.execPath, BIN, ...args], env)
  }

  async run(user: User, command: readonly string[], env: Record<string, string> = {}): Promise<Finished> {
    const child = this.start(user, command, env)
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (s: string) => (out += s))
    child.stderr.setEncoding('utf8').on('data', (s: string) => (err += s))
    child.stdin.end()
    const code = await new Promise<number | null>((r) => child.once('close', r))
    return { code, out, err }
  }

  /** A broker of this user's, up and ready. */
  async up(user: User, ...args: string[]): Promise<{ pid: number; journal: string; socket: string }> {
    const child = this.start(user, [process.execPath, BIN, 'up', '--no-http', '--json', ...args])
    let err = ''
    child.stderr.setEncoding('utf8').on('data', (s: string) => (err += s))
    const line = await new Promise<string>((done, fail) => {
      child.stdout.setEncoding('utf8').once('data', done)
      child.once('exit', (code) => fail(new Error(`up ended with ${code}: ${err}`)))
    })
    return { ...(JSON.parse(line) as { journal: string; socket: string }), pid: child.pid! }
  }

  /** What becomes of each attempt to open, list, connect to or signal something: 'ok' or the system's refusal. */
  async attempts(
    user: User,
    attempts: readonly [how: 'read' | 'list' | 'connect' | 'signal' | 'write', what: string][],
  ): Promise<string[]> {
    const { out, err } = await this.run(user, [process.execPath, '-e', ATTEMPT, JSON.stringify(attempts)])
    if (out === '') throw new Error(err)
    return JSON.parse(out) as string[]
  }

  async end(): Promise<void> {
    for (const child of this.#started) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const gone = new Promise((r) => child.once('exit', r))
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), 8_000)
      await gone
      clearTimeout(timer)
    }
    rmSync(this.dir, { recursive: true, force: true })
  }
}

const ATTEMPT = `
const fs = require('node:fs'), net = require('node:net')
const how = {
  read: (what) => void fs.readFileSync(what), list: (what) => void fs.readdirSync(what), write: (what) => fs.writeFileSync(what, 'x'),
  signal: (what) => void process.kill(Number(what), 'SIGTERM'),
  connect: (what) => new Promise((ok, no) => net.connect(what).once('connect', ok).once('error', no)),
}
;(async () => {
  const said = []
  for (const [verb, what] of JSON.parse(process.argv[1])) said.push(await (async () => how[verb](what))().then(() => 'ok', (e) => e.code))
  console.log(JSON.stringify(said))
  process.exit()
})()
`

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { TokenFiles } from '../../packages/deskhand/src/broker/token-files.ts'
import { handled } from './handled.ts'

/** The command as people run it: built. */
export const BIN = resolve(import.meta.dirname, '../../packages/deskhand/dist/cli/main.js')

export interface Finished {
  code: number | null
  out: string
  err: string
}

export interface Up {
  pid: number
  /** With the addresses only where a server runs. */
  ready: { name: string; socket: string; journal: string; url: string; open: string; mcp: string; found?: boolean }
  /** The exit code, once it has ended. */
  ended: Promise<number | null>
}

/** A state folder of the test's own, and the commands that live in it. */
export class World {
  readonly dir = mkdtempSync(join(tmpdir(), 'dh-'))
  readonly env: Record<string, string>
  readonly #started: ChildProcessWithoutNullStreams[] = []
  readonly #clients: Client[] = []
  readonly #tokens = new Map<string, string>()

  constructor(env: Record<string, string> = {}) {
    this.env = { PATH: process.env['PATH'] ?? '', HOME: this.dir, DESKHAND_STATE: join(this.dir, 'state'), ...env }
  }

  /** Writes a file into the folder; answers with its path. */
  file(name: string, text: string): string {
    const path = join(this.dir, name)
    writeFileSync(path, text)
    return path
  }

  /** A token for a desktop that was up once, or for the whole server; the same one each time. */
  token(at: string, role: 'agent' | 'operator'): string {
    const dir = join(this.dir, 'state', at === 'server' ? 'server' : `desktops/${at}`, 'tokens')
    const key = JSON.stringify([at, role])
    const token = this.#tokens.get(key) ?? new TokenFiles(dir).issue(role, role)
    this.#tokens.set(key, token)
    return token
  }

  start(...args: string[]): ChildProcessWithoutNullStreams {
    const child = spawn(process.execPath, [BIN, ...args], { env: this.env, cwd: this.dir })
    this.#started.push(child)
    return child
  }

  /** Runs a command to its end. */
  async run(args: string[], input?: string): Promise<Finished> {
    const child = this.start(...args)
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (s: string) => (out += s))
    child.stderr.setEncoding('utf8').on('data', (s: string) => (err += s))
    child.stdin.end(input)
    const code = await new Promise<number | null>((r) => child.once('close', r))
    return { code, out, err }
  }

  /** A broker without a server, up and ready; its first line is what it told. */
  up(...args: string[]): Promise<Up> {
    return this.#up(['up', '--no-http', '--json', ...args])
  }

  /** The server with its first desktop, as people start it, at any free port. */
  server(...args: string[]): Promise<Up> {
    return this.#up(['up', '--port', '0', '--json', ...args])
  }

  async #up(args: string[]): Promise<Up> {
    const child = this.start(...args)
    let err = ''
    child.stderr.setEncoding('utf8').on('data', (s: string) => (err += s))
    const line = await new Promise<string>((done, fail) => {
      let out = ''
      child.stdout.setEncoding('utf8').on('data', (s: string) => {
        out += s
        if (out.includes('\n')) done(out)
      })
      child.once('exit', (code) => fail(new Error(`up ended with ${code}: ${err}`)))
    })
    const asked = this.#started
    child.once('exit', (code, signal) => {
      // A server that ends by itself takes the reason with it: a test only sees that nothing answers.
      const byItself = signal === null ? code !== 0 : signal !== 'SIGTERM'
      if (byItself && asked.includes(child)) process.stderr.write(`deskhand up ended with ${signal ?? code}: ${err}\n`)
    })
    return { pid: child.pid!, ready: JSON.parse(line) as Up['ready'], ended: new Promise((r) => child.once('exit', r)) }
  }

  /** A broker on a simulated desktop that shows this, under these rules; where its journal is. */
  async serve(ui: unknown, policy: string): Promise<{ journal: string }> {
    return (await this.up('--ui', this.file('ui.json', JSON.stringify(ui)), '--policy', this.file('policy.toml', policy))).ready
  }

  /** A real MCP client whose server is our command. */
  async mcp(mode: 'legacy' | 'auto' = 'auto', env: Record<string, string> = {}): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp'], env: { ...this.env, ...env }, cwd: this.dir }),
    )
    this.#clients.push(client)
    return client
  }

  /** Ends what this world started; its files stay. */
  async stop(): Promise<void> {
    await Promise.all(this.#clients.splice(0).map((c) => c.close().catch(() => {})))
    await Promise.all(this.#started.splice(0).map(ended))
  }

  /** Ends what this world started, and leaves nothing behind. */
  async end(): Promise<void> {
    await this.stop()
    rmSync(this.dir, { recursive: true, force: true })
  }
}

/** Asks a process to end, and insists after a while. */
async function ended(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((r) => child.once('exit', r))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 8_000)
  await gone
  clearTimeout(timer)
}

/** A tool's answer through MCP, which may be awaited late: what the model reads, and the record beside it, whose fields the tests know. */
export function use(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Answer> {
  return handled(answer(client, name, args))
}

/* oxlint-disable typescript/no-explicit-any */
interface Answer {
  text: string
  record: Record<string, any>
  isError: boolean
}

async function answer(client: Client, name: string, args: Record<string, unknown>): Promise<Answer> {
  const told = await client.callTool({ name, arguments: args })
  const [first] = told.content as { type: string; text: string }[]
  return { text: first?.text ?? '', record: (told.structuredContent ?? {}) as Record<string, any>, isError: told.isError === true }
}
/* oxlint-enable typescript/no-explicit-any */

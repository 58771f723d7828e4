import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Desk } from './desk.ts'

export const BIN = fileURLToPath(new URL('../../packages/deskhand/dist/cli/main.js', import.meta.url))

/** Our tools as a model has them: an MCP client, `deskhand mcp`, and a broker on the bench's desktop with its journal on the disk. */
export class Ours {
  readonly client: Client
  readonly broker: ChildProcess

  static async open(desk: Desk): Promise<Ours> {
    const env = { PATH: process.env['PATH'] ?? '', HOME: desk.state, DESKHAND_STATE: desk.state }
    // The peers' input would be a person's, for whom we make way.
    writeFileSync(join(desk.state, 'deskhand.toml'), '[human]\nmode = "off"\n')
    const args = [BIN, 'up', '--no-http', '--json', '--desktop', 'sandbox', '--sandbox', desk.sandbox.record.id]
    const broker = spawn(process.execPath, args, { env, cwd: desk.state, stdio: ['ignore', 'pipe', 'pipe'] })
    await new Promise<void>((done, fail) => {
      let errors = ''
      broker.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
      broker.stdout.once('data', () => done())
      broker.once('exit', (code) => fail(new Error(`deskhand up ended with ${code}: ${errors}`)))
    })
    return new Ours(await connect([BIN, 'mcp'], env), broker)
  }

  private constructor(client: Client, broker: ChildProcess) {
    this.client = client
    this.broker = broker
  }

  use(name: string, args: Record<string, unknown> = {}): Promise<Answer> {
    return use(this.client, name, args)
  }

  async close(): Promise<void> {
    await this.client.close()
    const gone = new Promise((done) => this.broker.once('exit', done))
    this.broker.kill('SIGTERM')
    await gone
  }
}

export interface Answer {
  /** What the model reads. */
  text: string
  effect?: unknown
}

async function use(client: Client, name: string, args: Record<string, unknown>): Promise<Answer> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: args })
  const first = content[0]
  const text = first?.type === 'text' ? first.text : ''
  if (isError === true) throw new Error(`${name}: ${text}`)
  return { text, effect: structuredContent === undefined ? undefined : (structuredContent as { effect?: unknown }).effect }
}

/** A peer that speaks MCP, on the bench's desktop. */
export const peerClient = (dir: string, desk: Desk): Promise<Client> =>
  connect([join(dir, 'node_modules', 'computer-use-mcp', 'dist', 'main.js')], { ...desk.sandbox.env, PATH: process.env['PATH'] ?? '' })

async function connect(args: string[], env: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }))
  return client
}

/** The memory of a process that is its own, in MB. */
export function memoryOf(pid: number): number {
  const pss = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))
  return Number(pss?.[1]) / 1024
}

/** A process and all below it. */
export function familyOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  return [pid, ...children.flatMap(familyOf)]
}

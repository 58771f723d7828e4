import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { median, spent, type Report } from './report.ts'

const BIN = fileURLToPath(new URL('../packages/deskhand/dist/cli/main.js', import.meta.url))
const ROUNDS = 15
const QUERY = { selector: 'name="Amount"' }

/** How long commands take from their start, beside a Node that does nothing: coding agents start them hundreds of times. */
export async function starts(report: Report, dir: string): Promise<void> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: dir, DESKHAND_STATE: `${dir}/starts` }
  const command = (...args: string[]): ChildProcess => spawn(process.execPath, args, { env, cwd: dir, stdio: 'ignore' })
  const run = (...args: string[]) => spent(() => once(command(...args), 'exit'))
  const add = async (name: string, atMost: number | undefined, start: () => Promise<number>): Promise<void> => {
    const bare: number[] = []
    const ours: number[] = []
    await start()
    for (let i = 0; i < ROUNDS; i++) {
      bare.push(await run('-e', '0'))
      ours.push(await start())
    }
    const bar = atMost === undefined ? undefined : { of: 'ours' as const, atMost }
    report.add({ name, unit: 'ms', ours: median(ours), peer: median(bare), peerName: 'node -e 0', bar })
  }
  const call = () => run(BIN, 'call', 'ui.query', JSON.stringify(QUERY))
  const mcp = () => firstCall(env, dir)

  await add('deskhand --help', 120, () => run(BIN, '--help'))
  await add('deskhand with a wrong option', 150, () => run(BIN, 'call', '--nonsense'))
  await add('deskhand call, no desktop up', undefined, call)
  await add('deskhand mcp until its first call, no desktop up', undefined, mcp)
  const up = spawn(process.execPath, [BIN, 'up', '--no-http', '--json'], { env, cwd: dir, stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    await once(up.stdout, 'data')
    await add('deskhand call, a desktop up', 300, call)
    await add('deskhand mcp until its first call, a desktop up', 400, mcp)
  } finally {
    const ended = once(up, 'exit')
    up.kill()
    await ended
  }
}

/** From the start of the process until the first call of a tool is answered; the end of the process is not counted. */
async function firstCall(env: Record<string, string>, cwd: string): Promise<number> {
  // To find out the version, this client would start a process of its own before.
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'legacy' } })
  const ms = await spent(async () => {
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp'], env, cwd }))
    const { isError } = await client.callTool({ name: 'ui.query', arguments: QUERY })
    if (isError) throw new Error('the first call through MCP failed')
  })
  await client.close()
  return ms
}

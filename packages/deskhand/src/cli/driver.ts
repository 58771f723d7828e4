import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Driver, stopAndClose } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import { visible } from '@deskhand/core/selector/quote'
import type { Channel } from '../drivers/channel.ts'
import { serveDriverStdio } from '../drivers/serve.ts'
import { driverFactory, hostDriver, hostKind } from '../wiring/driver-registry.ts'

interface ServeOptions {
  mcp?: boolean
  ui?: string
  urn?: string
  port?: string
}

/** Where a client's token is taken from; without it one is made and printed. */
const TOKEN = 'DESKHAND_DRIVER_TOKEN'

/** Serves one of Deskhand's drivers to one client; everything that is held is released when the client is gone. */
export async function serve(kind: string, options: ServeOptions): Promise<void> {
  const { mcp, ui, urn = `urn:deskhand:${kind}:driver`, port } = options
  if (mcp !== true) throw new DeskhandError('BAD_ARGS', 'a driver is served over MCP only', { next: `Use: deskhand driver ${kind} --mcp` })
  const driver = await openDriver(kind, ui, urn)
  if (port === undefined) await serveDriverStdio(driver)
  else await serveAt(driver, Number(port))
  await stopAndClose(driver)
  process.exit(0)
}

async function serveAt(driver: Driver, port: number): Promise<void> {
  const { serveDriverHttp } = await import('../drivers/serve-http.ts')
  const { [TOKEN]: given } = process.env
  delete process.env[TOKEN]
  const token = given ?? randomBytes(24).toString('base64url')
  const { url, close } = await serveDriverHttp(driver, token, port)
  process.stdout.write(`${JSON.stringify({ url, ...(given === undefined && { token }) })}\n`)
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, resolve)
  })
  await close()
}

interface CheckOptions {
  patience: string
  only?: string
  json?: boolean
  url?: string
  tokenEnv?: string
}

/** Runs the contract suite against a driver that another program serves, and prints what holds. */
export async function check(command: string[], { patience, only, json, url, tokenEnv }: CheckOptions): Promise<void> {
  const [program, ...args] = command
  if ((program === undefined) === (url === undefined))
    throw new DeskhandError('BAD_ARGS', 'name the driver by its command or by --url', {
      next: 'Use: deskhand driver check -- <command>, or deskhand driver check --url <url>',
    })
  const seconds = Number(patience)
  if (!(seconds > 0)) throw new DeskhandError('BAD_ARGS', `--patience takes seconds, not ${patience}`)
  const [{ checkDriver }, { openMcpDriver }] = await Promise.all([
    import('@deskhand/core/driver/check'),
    import('../drivers/mcp-driver.ts'),
  ])
  const driver = await openMcpDriver(await channelOf(program, args, url, tokenEnv), READY_MS)
  const count = { holds: 0, gap: 0, unseen: 0, fails: 0 }
  for await (const outcome of checkDriver(driver, { patienceMs: 1000 * seconds, only })) {
    const { check: sentence, result, why } = outcome
    count[result]++
    const because = why === undefined ? '' : `\n        ${visible(why.split('\n', 1)[0] ?? '')}`
    process.stdout.write(json ? `${JSON.stringify(outcome)}\n` : `${result.padEnd(8)}${sentence}${because}\n`)
  }
  await driver.close()
  if (Object.values(count).every((n) => n === 0))
    throw new DeskhandError('BAD_ARGS', `no check has the words ${only}`, { next: 'Leave --only out to see all of them.' })
  if (!json) process.stdout.write(`${count.holds} hold, ${count.fails} fail, ${count.gap} are gaps, ${count.unseen} could not be seen\n`)
  process.exitCode = count.fails > 0 ? 1 : 0
}

const READY_MS = 20_000

async function channelOf(
  program: string | undefined,
  args: string[],
  url: string | undefined,
  tokenEnv: string | undefined,
): Promise<Channel> {
  if (url !== undefined) {
    const { HttpChannel } = await import('../drivers/http-channel.ts')
    return new HttpChannel({ url, token: tokenEnv === undefined ? undefined : process.env[tokenEnv] })
  }
  const { ChildChannel } = await import('../drivers/child-channel.ts')
  // The operator's own command, in the operator's own environment.
  const env = Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
  return new ChildChannel({ command: [program ?? '', ...args], env })
}

/** A real desktop's driver runs in a host of its own, so that the end of either process releases what is held. */
async function openDriver(kind: string, ui: string | undefined, urn: string): Promise<Driver> {
  switch (kind) {
    case 'virtual': {
      const { open } = await driverFactory('virtual')
      return open({ urn, env: {}, ui: ui === undefined ? [] : readFileSync(ui, 'utf8') })
    }
    case 'linux':
    case 'windows':
      if ((process.platform === 'win32') !== (kind === 'windows'))
        throw new DeskhandError('NO_DESKTOP', `the driver ${kind} runs on ${kind === 'windows' ? 'Windows' : 'Linux'} only`, {
          next: `Start it there, with --port, or use deskhand driver ${hostKind()} --mcp here.`,
        })
      return (await hostDriver(kind, process.env, urn)).driver
    default:
      throw new DeskhandError('BAD_ARGS', `there is no driver ${kind}`, { next: 'Use linux, virtual or windows.' })
  }
}

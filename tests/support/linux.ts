import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type HostedDriver, spawnHost, within } from '@deskhand/core/driver'
import type { Opened } from '@deskhand/core/driver/contract'
import { CONTRACT_WINDOW, type Fixture } from '@deskhand/core/driver/contract'
import { programEnvironment } from '../../packages/deskhand/src/desktop/environment.ts'
import type { Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { testDesktop } from './desktop.ts'
import { SlowStart, starting } from './starting.ts'

export { fixture, PYTHON } from './python.ts'

/** A driver host on a desktop, as the broker starts it: built. */
export function linuxHost(sandbox: Pick<Sandbox, 'env'>, onDeath?: () => void): Promise<HostedDriver> {
  const host = fileURLToPath(new URL('../../packages/driver-linux/dist/host.js', import.meta.url))
  return spawnHost({
    command: process.execPath,
    args: [host],
    env: sandbox.env,
    readyMs: 30_000,
    onDeath,
  })
}

/** A program on a desktop, which the test need not end: it goes with the desktop. */
export function start(sandbox: Pick<Sandbox, 'env'>, command: string, args: string[] = [], env: Record<string, string> = {}): ChildProcess {
  const [program = command, ...words] = [...(JSON.parse(sandbox.env['DESKHAND_LAUNCH_PREFIX'] ?? '[]') as string[]), command, ...args]
  return spawn(program, words, { env: { ...programEnvironment(sandbox.env), ...env }, cwd: sandbox.env.HOME, stdio: 'ignore' })
}

/** Starts a program on a desktop, and gives the lines that it has printed so far. */
export function listen(sandbox: Pick<Sandbox, 'env'>, command: string, args: string[] = []): () => string[] {
  const child = spawn(command, args, { env: sandbox.env, cwd: sandbox.env.HOME, stdio: ['ignore', 'pipe', 'ignore'] })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  return () => out.split('\n').filter(Boolean)
}

/** A fixture program in a sandbox, seen through a driver in its own process. */
export async function openFixture(
  command: string,
  args: string[],
  window: Fixture = CONTRACT_WINDOW,
  env: Record<string, string> = {},
  desktop: Parameters<typeof testDesktop>[0] = {},
): Promise<Opened> {
  const sandbox = await testDesktop(desktop)
  const driver = await linuxHost(sandbox)
  start(sandbox, command, args, env)
  await shown(driver, window.window)
  await starting(told(driver))
  return {
    driver,
    fixture: window,
    close: async () => {
      await driver.close()
      await sandbox.down()
    },
  }
}

/** Waits until a window with this title is there and active. */
export async function shown(driver: HostedDriver, title: string, ms = 20_000): Promise<string> {
  const end = performance.now() + ms
  while (performance.now() < end) {
    const { nodes, cursor } = await driver.observe.read({}, within(ms))
    const window = nodes.find(
      (n) => n.parent === undefined && n.name?.includes(title) === true && n.states?.active === true && n.bounds !== undefined,
    )
    if (window !== undefined) return window.key
    await driver.observe.changes(cursor, 100, within(ms))
  }
  throw new SlowStart(`no window "${title}" appeared`)
}

/** Waits until every window has a tree: one can be on the screen before its application has registered on the accessibility bus. */
export async function told(driver: HostedDriver, ms = 20_000): Promise<void> {
  const end = performance.now() + ms
  while (performance.now() < end) {
    const { completeness, cursor } = await driver.observe.read({}, within(ms))
    if (completeness.reasons.every((r) => r.kind === 'drawn')) return
    await driver.observe.changes(cursor, 100, within(ms))
  }
  throw new Error('a window never got its tree')
}

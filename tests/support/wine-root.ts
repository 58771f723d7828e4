import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Driver, remoteDriver, within } from '@deskhand/core/driver'
import type { Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { windowsHome } from '../../scripts/setup-windows.mjs'
import { starting } from './starting.ts'

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')

/** The root, with this machine's X server, temporary files and checkout in it. It ends with its first process, and that one with the test. */
const HOLDER = `
set -e
mount --make-rprivate /
mount -t proc proc "$ROOT/proc"
mount --rbind /dev "$ROOT/dev"
mount --bind /tmp "$ROOT/tmp"
mkdir -p "$ROOT$CHECKOUT" "$ROOT$WINDOWS_HOME"
mount --bind "$CHECKOUT" "$ROOT$CHECKOUT"
mount --rbind "$WINDOWS_HOME" "$ROOT$WINDOWS_HOME"
mount -t overlay overlay -o "lowerdir=$WINDOWS_HOME/prefix,upperdir=$STATE/upper,workdir=$STATE/work" "$STATE/prefix" 2>/dev/null \
  || cp -a "$WINDOWS_HOME/prefix/." "$STATE/prefix/"
mount --rbind "$STATE" "$ROOT$STATE"
echo ready
exec cat
`

export interface Wine {
  /** A folder that both sides see: here, and on Windows below Z:. */
  folder: string
  env: NodeJS.ProcessEnv
  /** Runs a Windows program; what it prints goes to the file. */
  run(command: readonly string[], options?: { env?: Record<string, string>; log?: string }): ChildProcess
  /** A driver inside Windows, by TCP on loopback: node for Windows cannot use the pipes of Linux. */
  driver(env?: Record<string, string>): Promise<{ driver: Driver; host: ChildProcess; log(): string }>
  down(): Promise<void>
}

/** A path of this machine as Windows has it. */
export const onZ = (path: string): string => `Z:${path.replaceAll('/', '\\')}`

/** A Windows of the caller's own on this screen, which goes down with it. */
export async function enterWine(desktop: Pick<Sandbox, 'env' | 'down'>): Promise<Wine> {
  const folder = mkdtempSync(join(tmpdir(), 'dh-wine-'))
  for (const part of ['upper', 'work', 'prefix']) mkdirSync(join(folder, part))
  const root = join(windowsHome, 'root')
  // A process namespace: whatever runs in it ends with its first process, also when the test is killed.
  const holder = spawn('unshare', ['-m', '-p', '--fork', '--kill-child', 'bash', '-c', HOLDER], {
    env: { ...process.env, ROOT: root, CHECKOUT, WINDOWS_HOME: windowsHome, STATE: folder },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let complaint = ''
  holder.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text))
  await new Promise<void>((resolve, reject) => {
    holder.stdout.once('data', () => resolve())
    holder.once('exit', () => reject(new Error(`the root of Wine could not be entered: ${complaint}`)))
  })
  const first = readFileSync(`/proc/${holder.pid}/task/${holder.pid}/children`, 'utf8').trim()
  const run: Wine['run'] = (command, { env = {}, log = '/dev/null' } = {}) => {
    const output = openSync(log, 'a')
    const windows = {
      HOME: '/root',
      PATH: '/usr/local/bin:/usr/bin:/bin',
      LANG: 'C.UTF-8',
      DISPLAY: desktop.env['DISPLAY'],
      XAUTHORITY: desktop.env['XAUTHORITY'],
      WINEPREFIX: join(folder, 'prefix'),
      WINEDEBUG: '-all',
      WINEDLLOVERRIDES: 'mscoree,mshtml,winemenubuilder.exe=',
      NODE_PATH: onZ(join(windowsHome, 'modules')),
      ...env,
    }
    const words = Object.entries(windows).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
    const child = spawn('nsenter', ['-t', first, '-m', '-p', 'chroot', root, 'env', '-i', ...words, 'wine', ...command], {
      stdio: ['ignore', output, output],
    })
    closeSync(output)
    return child
  }
  return {
    folder,
    env: desktop.env,
    run,
    driver: (env) => startDriver(run, folder, env),
    async down() {
      holder.stdin.end()
      await Promise.race([new Promise((resolve) => holder.once('exit', resolve)), sleep(3000)])
      holder.kill('SIGKILL')
      await desktop.down()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export const NODE = onZ(join(windowsHome, 'node', 'bin', 'node.exe'))

async function startDriver(run: Wine['run'], folder: string, env: Record<string, string> = {}): ReturnType<Wine['driver']> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  const log = join(folder, 'driver.log')
  const host = run([NODE, onZ(join(CHECKOUT, 'tests/support/wine-driver.mjs')), String(port)], { log, env })
  const said = (): string => (existsSync(log) ? readFileSync(log, 'utf8') : '')
  const called = new Promise<Socket>((resolve, reject) => {
    server.once('connection', resolve)
    setTimeout(() => reject(new Error(`the driver on Wine did not call:\n${said()}`)), 60_000).unref()
  })
  const socket = await starting(called)
  server.close()
  const driver = remoteDriver(socket)
  // It calls before it has opened its desktop, which takes a busy machine longer than sessions wait.
  await driver.observe.info(within(60_000))
  return { driver, host, log: said }
}

/** Processes of this Windows whose command line has a word, by their ids here. */
export function inside(wine: Wine, word: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => about(pid, 'cmdline').includes(word) && about(pid, 'environ').includes(wine.folder))
}

function about(pid: number, file: 'cmdline' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

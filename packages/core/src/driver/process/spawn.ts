import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { DeskhandError } from '../../errors.ts'
import { type Driver, type DriverInfo, within } from '../driver.ts'
import { remoteDriver, serveDriver } from './host.ts'
import { DRIVER_PROTOCOL } from '../wire/methods.ts'
import { Link } from '../wire/link.ts'

export interface HostOptions {
  command: string
  args?: string[]
  env?: NodeJS.ProcessEnv
  /** How long it may take until the driver answers. */
  readyMs?: number
  /** How long it may take to end when its link is closed, and again when it got SIGTERM; then SIGKILL. */
  closeMs?: number
  /** Ends the start. A host that did not answer yet holds nothing, and is killed. */
  signal?: AbortSignal
  /** Called when it ended without having been closed. */
  onDeath?: (death: DeskhandError) => void
}

export interface HostedDriver extends Driver {
  pid: number
  info: DriverInfo
  /** When the process is gone: how, and its last words. */
  died: Promise<DeskhandError>
}

/** Tells a host the pid of its owner, which may be gone before the host can ask for it. */
const OWNER = 'DESKHAND_OWNER'

/** The link in the child: none of the three descriptors that any library may print to. */
const LINK_FD = 3

/** Starts a driver host and waits until its driver answers. The end of either process ends the link, and with it every lease. */
export async function spawnHost(options: HostOptions): Promise<HostedDriver> {
  const { command, args = [], env = process.env, readyMs = 20_000, closeMs = 2000, signal, onDeath } = options
  // A session of its own, so that the terminal's Ctrl+C does not end the driver before it has let go of the keys.
  const child = spawn(command, args, {
    env: { ...env, [OWNER]: String(process.pid) },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  })
  const tail = tailOf(child)
  const exited = exitOf(child)
  const stream = child.stdio?.[LINK_FD]
  if (!(stream instanceof Duplex)) throw failed(`${command} ${await exited}`, tail)
  const link = new Link(stream, { protocol: DRIVER_PROTOCOL, helloMs: 2 * readyMs })
  const driver = remoteDriver(link)
  const end = async (): Promise<void> => {
    await link.close()
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if ((await soon(exited, closeMs)) === undefined) child.kill(signal)
    }
    await exited
  }
  const kill = (): unknown => child.kill('SIGKILL')
  signal?.addEventListener('abort', kill, { once: true })
  if (signal?.aborted) kill()
  const info = await driver.observe
    .info(within(readyMs))
    .catch(async (thrown: unknown) => {
      const cause = DeskhandError.from(thrown)
      const how = await whyNotReady(cause, exited, closeMs)
      await end()
      throw failed(`${command} ${how}`, tail, cause)
    })
    .finally(() => signal?.removeEventListener('abort', kill))

  let closing: Promise<void> | undefined
  const died = exited.then((how) => new DeskhandError('DRIVER_DEAD', `The driver host ${command} ${how}.`, { details: { output: tail() } }))
  void died.then((death) => closing ?? onDeath?.(death))
  void link.closed.then(() => closing ?? end())
  return { ...driver, pid: child.pid ?? 0, info, died, close: () => (closing ??= end()) }
}

/** The whole main of a driver host that `spawnHost` starts: serves until the link ends or a signal comes, lets go of everything, exits. */
export async function runHost(open: () => Promise<Driver>): Promise<void> {
  const owner = Number(process.env[OWNER] ?? process.ppid)
  delete process.env[OWNER]
  // Unlike everything below, it still runs when the driver never gives the event loop back.
  new Worker(WATCHDOG, { eval: true, workerData: owner, execArgv: [] }).unref()
  // When the owner is gone the pipes are closed; writing to them must not become a fault, which would be printed.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const served = serveDriver(open(), new Socket({ fd: LINK_FD, readable: true, writable: true }))
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void served.close())
  process.on('uncaughtException', (fault) => {
    console.error(fault)
    void served.close(DeskhandError.from(fault))
  })
  const reason = await served.ended
  process.exit(reason ? 1 : 0)
}

/** Ends a host that outlives its owner by more than it needs to let go of everything. On Windows the id of a parent stays when it has ended. */
const WATCHDOG = `
  const { workerData: owner } = require('node:worker_threads')
  const isThere = (pid) => {
    if (process.platform !== 'win32') return true
    try {
      return process.kill(pid, 0)
    } catch (error) {
      return error.code === 'EPERM'
    }
  }
  const look = setInterval(() => {
    if (process.ppid === owner && isThere(owner)) return
    clearInterval(look)
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 6000)
  }, 1000)
`

async function whyNotReady(cause: DeskhandError, exited: Promise<string>, patienceMs: number): Promise<string> {
  if (cause.code === 'PROTOCOL') return `does not speak the driver protocol: ${cause.message}`
  if (cause.code === 'DRIVER_DEAD') return (await soon(exited, patienceMs)) ?? 'closed its link'
  return `did not get ready: ${cause.message}`
}

/** A driver that could not open has told why in its own code; anything else is DRIVER_FAILED. */
function failed(what: string, tail: () => string[], cause?: DeskhandError): DeskhandError {
  const output = tail()
  const message = [`The driver host ${what}`, ...output].join('\n')
  const own = cause && !['PROTOCOL', 'DRIVER_DEAD', 'TIMEOUT', 'INTERNAL'].includes(cause.code)
  return own
    ? new DeskhandError(cause.code, cause.message, { next: cause.next, details: { output }, cause })
    : new DeskhandError('DRIVER_FAILED', message, { details: { output }, cause })
}

function exitOf(child: ChildProcess): Promise<string> {
  const closed = new Promise((resolve) => child.once('close', resolve))
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(`could not be started: ${error.message}`))
    child.once('exit', (code, signal) => {
      // Its last words may still be in the pipe; a grandchild may hold that pipe for ever.
      void soon(closed, 200).then(() => resolve(signal ? `was ended by ${signal}` : `exited with code ${code}`))
    })
  })
}

/** The last lines that the child printed. */
function tailOf(child: ChildProcess): () => string[] {
  let text = ''
  for (const pipe of [child.stdout, child.stderr]) {
    pipe?.setEncoding('utf8').on('data', (chunk: string) => (text = (text + chunk).slice(-8000)))
  }
  return () => text.trimEnd().split('\n').slice(-40).filter(Boolean)
}

/** What the promise gives, or undefined when it takes longer. */
async function soon<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const stop = new AbortController()
  try {
    return await Promise.race([promise, sleep(ms, undefined, { signal: stop.signal }).catch(() => undefined)])
  } finally {
    stop.abort()
  }
}

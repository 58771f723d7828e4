import { execFile, spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { access, realpath } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { Writable } from 'node:stream'
import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import { DEFAULT_LIMITS, type Availability, type PythonEngine, type PythonJob, type PythonRunResult } from '../engine.ts'
import { forgetGroup, trackGroup } from '../group.ts'
import { supervise, type Ending } from '../supervise.ts'
import { FILTER_FD, jailArgs, type HostPython } from './jail.ts'
import { seccompFilter } from './seccomp.ts'

export interface SystemOptions {
  /** The interpreter, possibly of a virtual environment; Debian's own when left out. */
  python?: string
}

const ABOUT = 'import json, sys; print(json.dumps([sys.executable, sys.prefix, sys.base_prefix, sys.version.split()[0]]))'
const About = z.tuple([z.string(), z.string(), z.string(), z.string()])
const PROBE_MS = 10_000

type Found = { ok: true; version: string; bwrap: string; filter: Buffer; python: HostPython }
type Missing = Extract<Availability, { ok: false }>

/** The host's own Python in a bubblewrap jail: faster, and with the host's packages; Linux only. */
export function systemPython(options: SystemOptions = {}): PythonEngine {
  const closing = new AbortController()
  const running = new Set<Promise<PythonRunResult>>()
  let found: Promise<Found | Missing> | undefined
  const find = () => (found ??= look(options.python))

  return {
    name: 'system',
    async available() {
      const cap = await find()
      return cap.ok ? { ok: true, version: cap.version } : cap
    },
    async run(job) {
      const cap = await find()
      if (cap.ok) return start(cap, job)
      return { ok: false, error: new DeskhandError('PYTHON_NOT_FOUND', cap.reason, { next: cap.fix }).toJSON() }
    },
    warm: async () => {},
    async close() {
      closing.abort()
      await Promise.all([found, ...running])
    },
  }

  function start(found: Found, job: PythonJob): Promise<PythonRunResult> {
    const signal = AbortSignal.any([closing.signal, ...(job.signal ? [job.signal] : [])])
    const run = runJailed(found, { ...job, signal })
    running.add(run)
    return run.finally(() => running.delete(run))
  }
}

async function runJailed({ bwrap, filter, python }: Found, job: PythonJob): Promise<PythonRunResult> {
  const startedAt = performance.now()
  const child = spawn(bwrap, await jailArgs(python, job), { env: {}, cwd: '/', detached: true, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] })
  const { pid } = child
  let spawnError: Error | undefined
  child.once('error', (error) => (spawnError = error))
  if (pid !== undefined) {
    trackGroup(pid)
    child.once('exit', () => forgetGroup(pid))
  }
  child.stdin?.on('error', () => {})
  const filterEnd = child.stdio[FILTER_FD]
  if (filterEnd instanceof Writable) filterEnd.on('error', () => {}).end(filter)
  return supervise(child, job, startedAt, (code): Ending => {
    if (spawnError) return { broken: `bubblewrap could not be started: ${spawnError.message}` }
    return code === null ? { broken: `The interpreter was ended by ${child.signalCode}.` } : { exitCode: code }
  })
}

async function look(wanted: string | undefined): Promise<Found | Missing> {
  if (process.platform !== 'linux') return missing('The system engine needs Linux.')
  const filter = seccompFilter(process.arch)
  if (!filter) return missing(`There is no system call filter for ${process.arch}.`)
  const bwrap = await firstExecutable('bwrap', [])
  if (!bwrap) return missing('bubblewrap is not installed.', 'apt-get install bubblewrap')
  const executable = wanted ?? (await firstExecutable('python3', ['/usr/bin/python3']))
  const about = executable && (await describe(executable))
  if (!about) return missing(`There is no working ${executable ?? 'python3'}.`, 'apt-get install python3')

  const found: Found = { ok: true, version: `CPython ${about.version} of the host in bubblewrap`, bwrap, filter, python: about.python }
  const limits = DEFAULT_LIMITS
  const trial = await runJailed(found, {
    script: { code: 'print("alive")' },
    args: [],
    hidden: [],
    timeoutMs: PROBE_MS,
    limits,
  })
  if (trial.ok && trial.stdout === 'alive\n') return found
  const why = trial.ok ? trial.stderr : trial.error.message
  return missing(
    `bubblewrap cannot make a jail here: ${why.trim().split('\n').at(-1)}`,
    'Allow user namespaces, or use the bundled engine.',
  )
}

/** Asks the interpreter for its folders; those below /usr are in the jail anyway. */
async function describe(executable: string): Promise<{ version: string; python: HostPython } | undefined> {
  try {
    const { stdout } = await promisify(execFile)(executable, ['-I', '-c', ABOUT], { timeout: PROBE_MS, env: {}, cwd: '/' })
    const [path, prefix, basePrefix, version] = About.parse(JSON.parse(stdout))
    const folders = [...new Set([prefix, basePrefix, await realpath(basePrefix)])].filter((folder) => !`${folder}/`.startsWith('/usr/'))
    return { version, python: { executable: path, folders } }
  } catch {
    return undefined
  }
}

async function firstExecutable(name: string, first: string[]): Promise<string | undefined> {
  const folders = (process.env.PATH ?? '/usr/bin:/bin').split(delimiter)
  for (const path of [...first, ...folders.map((folder) => join(folder, name))]) {
    const works = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (works) return path
  }
  return undefined
}

function missing(reason: string, fix?: string): Missing {
  return { ok: false, reason, fix }
}

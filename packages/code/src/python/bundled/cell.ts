import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import type { Limits } from '../engine.ts'
import { forgetGroup, GROUPED, killGroup, trackGroup } from '../group.ts'
import { LAUNCH, PROJECT, SCRATCH } from '../launch.ts'
import { BYTES_PER_CHAR, STDERR_CHARS, STDOUT_CHARS } from '../output.ts'
import type { Ending } from '../supervise.ts'
import { lendFolder, type Lent } from './lender.ts'
import type { Orders } from './orders.ts'

const HERE = dirname(fileURLToPath(import.meta.url))
const MB = 2 ** 20
const START_MS = 60_000
/**
 * Enough for a thousand nested calls through C, where Python's own limit stops them, also on a busy machine, where the interpreter runs before
 * it is optimised and takes half as much again; three quarters of a process's default stack.
 */
const STACK_KB = 6000
/** Memory of Node, V8 and the interpreter's files beside the WebAssembly heap. */
const BESIDE_HEAP_MB = 400

const Word = z.discriminatedUnion('say', [
  z.object({ say: z.literal('ready') }),
  z.object({ say: z.literal('end'), exitCode: z.number() }),
  z.object({ say: z.literal('broken'), what: z.string() }),
])
type Word = z.infer<typeof Word>

/** One sealed interpreter in a process of its own, waiting for one job. */
export interface Cell {
  readonly child: ChildProcess
  readonly limits: Limits
  /** Settles when the cell is sealed and waits for its job. */
  readonly ready: Promise<void>
  /** Lends it a folder of the host, to read. */
  lend(folder: Lent): void
  ending(): Ending
  /** Whether the cell keeps this process from exiting by itself. */
  hold(yes: boolean): void
  kill(): void
}

export function openCell(limits: Limits, places: { pyodide: string; snapshot: string }): Cell {
  const orders: Orders = {
    ...places,
    project: PROJECT,
    scratch: SCRATCH,
    launch: LAUNCH,
    memoryMb: limits.memoryMb,
    maxRssMb: limits.memoryMb + BESIDE_HEAP_MB,
    fileBytes: limits.fileMb * MB,
    keepBytes: { stdout: STDOUT_CHARS * BYTES_PER_CHAR, stderr: STDERR_CHARS * BYTES_PER_CHAR },
    floodBytes: limits.floodMb * MB,
  }
  const child = spawn(process.execPath, [...flags(orders), join(HERE, 'cell', 'main.mjs'), JSON.stringify(orders)], {
    cwd: '/',
    env: {},
    detached: GROUPED,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
  })
  const { pid } = child
  if (pid !== undefined) trackGroup(pid)
  child.stdin?.on('error', () => {})

  let lent: Lent | undefined
  const hatch = child.stdio[4]
  if (hatch instanceof Socket) void lendFolder(hatch, () => lent)

  let last: Word | undefined
  const ready = new Promise<void>((resolve, reject) => {
    const control = child.stdio[3]
    const tooSlow = setTimeout(() => killGroup(pid ?? 0, 'SIGKILL'), START_MS)
    if (control instanceof Socket) {
      control.on('error', () => {})
      createInterface({ input: control }).on('line', (line) => {
        last = understand(line) ?? last
        if (last?.say !== 'ready') return
        clearTimeout(tooSlow)
        resolve()
      })
    }
    child.once('error', (error) =>
      reject(new DeskhandError('PYTHON_EXEC_FAILED', `The interpreter could not be started: ${error.message}`)),
    )
    child.once('exit', () => {
      clearTimeout(tooSlow)
      if (pid !== undefined) forgetGroup(pid)
    })
    child.once('close', () => reject(new DeskhandError('PYTHON_EXEC_FAILED', `The interpreter did not start. ${broken()}`)))
  })
  ready.catch(() => {})

  return {
    child,
    limits,
    ready,
    lend: (folder) => {
      lent = folder
    },
    ending: () => (last?.say === 'end' ? { exitCode: last.exitCode } : { broken: broken() }),
    hold(yes) {
      for (const part of [child, ...child.stdio.filter((each) => each instanceof Socket)]) {
        if (yes) part.ref()
        else part.unref()
      }
    },
    kill: () => killGroup(pid ?? 0, 'SIGKILL'),
  }

  function broken(): string {
    if (last?.say === 'broken') return `The interpreter was ended: ${last.what}.`
    return `The interpreter crashed (${child.signalCode ?? `exit code ${child.exitCode}`}).`
  }
}

function understand(line: string): Word | undefined {
  try {
    return Word.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

/** Node's permission flags: no other files, no child processes, no addons, no code from strings. */
function flags(orders: Orders): string[] {
  const permission = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission'
  const readable = [join(orders.pyodide, '*'), join(HERE, 'cell', '*'), orders.snapshot]
  return [
    '--no-warnings',
    '--no-addons',
    '--disable-proto=delete',
    `--stack-size=${STACK_KB}`,
    '--disallow-code-generation-from-strings',
    permission,
    '--allow-worker',
    ...readable.map((path) => `--allow-fs-read=${path}`),
  ]
}

import type { ChildProcess } from 'node:child_process'
import { DeskhandError } from '@deskhand/core/errors'
import type { PythonJob, PythonRunResult } from './engine.ts'
import { killGroup } from './group.ts'
import { PROJECT } from './launch.ts'
import { Output, STDERR_CHARS, STDOUT_CHARS } from './output.ts'

export const GRACE_MS = 2000
const MB = 2 ** 20

/** How the process itself ended: with the script's exit status, or because the interpreter could not go on. */
export type Ending = { exitCode: number } | { broken: string }

/** Gives the job to a waiting interpreter and waits for its end: by itself, by timeout, by too much output or by abort. */
export function supervise(
  child: ChildProcess,
  job: PythonJob,
  startedAt: number,
  ending: (code: number | null) => Ending,
): Promise<PythonRunResult> {
  const stdout = new Output(STDOUT_CHARS)
  const stderr = new Output(STDERR_CHARS)
  const leader = child.pid
  let stoppedBy: 'timeout' | 'flood' | 'abort' | undefined
  let lastResort: NodeJS.Timeout | undefined

  const stop = (why: typeof stoppedBy) => {
    stoppedBy ??= why
    if (leader === undefined) return
    if (why !== 'timeout') return killGroup(leader, 'SIGKILL')
    killGroup(leader, 'SIGTERM')
    lastResort = setTimeout(() => killGroup(leader, 'SIGKILL'), GRACE_MS)
  }
  const collect = (into: Output) => (chunk: Buffer) => {
    into.push(chunk)
    if (stdout.totalBytes + stderr.totalBytes > job.limits.floodMb * MB) stop('flood')
  }
  const onAbort = () => stop('abort')

  return new Promise((resolve) => {
    const timer = setTimeout(() => stop('timeout'), job.timeoutMs)
    job.signal?.addEventListener('abort', onAbort, { once: true })
    if (job.signal?.aborted) onAbort()

    child.stdout?.on('data', collect(stdout))
    child.stderr?.on('data', collect(stderr))
    child.once('close', (code) => {
      clearTimeout(timer)
      clearTimeout(lastResort)
      job.signal?.removeEventListener('abort', onAbort)
      resolve(result(code))
    })
    child.stdin?.end([...forScript(job), ...job.args].join('\0'))
  })

  function result(code: number | null): PythonRunResult {
    const out = stdout.text()
    const err = stderr.text()
    const durationMs = Math.round(performance.now() - startedAt)
    const details = { stdout: out.text, stderr: err.text, durationMs }
    switch (stoppedBy) {
      case 'timeout':
        return failed('PYTHON_TIMEOUT', `The script did not end within ${job.timeoutMs / 1000} s.`, details)
      case 'flood':
        return failed('PYTHON_EXEC_FAILED', `The script wrote more than ${job.limits.floodMb} MB of output and was ended.`, details)
      case 'abort':
        return failed('CANCELLED', 'The script was ended because the call was cancelled.', details)
      case undefined: {
        const end = ending(code)
        if ('broken' in end) return failed('PYTHON_EXEC_FAILED', end.broken, details)
        const flags = { stdoutTruncated: out.truncated, stderrTruncated: err.truncated }
        return { ok: true, stdout: out.text, stderr: err.text, exitCode: end.exitCode, durationMs, ...flags }
      }
      default:
        return stoppedBy satisfies never
    }
  }
}

export function failed(
  code: 'PYTHON_NOT_FOUND' | 'PYTHON_TIMEOUT' | 'PYTHON_EXEC_FAILED' | 'CANCELLED' | 'BAD_ARGS',
  message: string,
  details?: unknown,
): PythonRunResult {
  return { ok: false, error: new DeskhandError(code, message, { details }).toJSON() }
}

/** What the interpreter reads from stdin, separated by NUL: `code` or `file`, its text or path, and the arguments. */
function forScript({ script }: PythonJob): [string, string] {
  return 'code' in script ? ['code', script.code.replace(/^\ufeff/, '')] : ['file', `${PROJECT}/${script.file}`]
}

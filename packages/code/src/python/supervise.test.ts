import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { DEFAULT_LIMITS, type PythonJob } from './engine.ts'
import { forgetGroup, trackGroup } from './group.ts'
import { supervise } from './supervise.ts'

const job = (timeoutMs: number, more: Partial<PythonJob> = {}): PythonJob => ({
  script: { code: '' },
  args: [],
  projectRoot: '/',
  hidden: [],
  limits: DEFAULT_LIMITS,
  timeoutMs,
  ...more,
})

function shell(script: string) {
  const child = spawn('/bin/sh', ['-c', script], { detached: true })
  const pid = child.pid ?? 0
  child.stdin.on('error', () => {})
  trackGroup(pid)
  child.once('exit', () => forgetGroup(pid))
  return child
}

function stateOf(pid: number): string {
  try {
    return /^State:.*\((.*)\)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 'unknown'
  } catch {
    return 'gone'
  }
}

const ending = (code: number | null) => (code === null ? { broken: 'by a signal' } : { exitCode: code })

test('a process that heeds SIGTERM gets to say goodbye', async () => {
  const child = shell('trap "echo bye; exit 0" TERM; echo hello; while :; do sleep 0.05; done')
  const result = await supervise(child, job(300), performance.now(), ending)
  expect(result).toMatchObject({ ok: false, error: { code: 'PYTHON_TIMEOUT', details: { stdout: 'hello\nbye\n' } } })
})

test('one that does not is killed two seconds later, with everything in its group', async () => {
  const child = shell('trap "" TERM; (trap "" TERM; while :; do sleep 0.05; done) & echo $!; while :; do sleep 0.05; done')
  const started = performance.now()
  const result = await supervise(child, job(300), started, ending)
  expect(result).toMatchObject({ ok: false, error: { code: 'PYTHON_TIMEOUT' } })
  expect(child.signalCode).toBe('SIGKILL')
  expect(performance.now() - started).toBeGreaterThan(2200)
  const { stdout } = (result.ok ? {} : result.error.details) as { stdout: string }
  expect(stateOf(Number(stdout))).toMatch(/gone|zombie/)
})

test('a flood is cut off', async () => {
  const child = shell('while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done')
  const result = await supervise(child, job(60_000, { limits: { ...DEFAULT_LIMITS, floodMb: 1 } }), performance.now(), ending)
  expect(result).toMatchObject({ ok: false, error: { code: 'PYTHON_EXEC_FAILED', message: expect.stringContaining('1 MB of output') } })
})

test('a program that cannot be started is an error of its own', async () => {
  const child = spawn('/nowhere/python', { detached: true })
  child.once('error', () => {})
  expect(await supervise(child, job(1000), performance.now(), () => ({ broken: 'not there' }))).toMatchObject({
    ok: false,
    error: { code: 'PYTHON_EXEC_FAILED', message: 'not there' },
  })
})

import { expect, test } from 'vitest'
import { formatExecution, toExecutionResult } from './execution.ts'

test.each([
  ['an engine’s run', { ok: true, stdout: '4\n', stderr: '', exitCode: 0 }, true, '4\nExecuted.\nexit code 0'],
  ['a run that failed', { ok: true, stdout: '', stderr: 'Traceback', exitCode: 1 }, true, 'Traceback\nExecuted, and failed.\nexit code 1'],
  ['a refusal', { code: 'DENIED', message: 'no' }, false, 'DENIED: no'],
  ['a refusal inside', { ok: false, error: { code: 'PYTHON_NOT_FOUND', message: 'none' } }, false, 'PYTHON_NOT_FOUND: none'],
  ['a run that was cut off', { ok: false, error: { code: 'PYTHON_TIMEOUT', message: 'too long' } }, true, 'PYTHON_TIMEOUT: too long'],
  ['a session’s record', { status: 'success', data: { stdout: 'x', stderr: '', exitCode: 0 } }, true, 'x\nExecuted.\nexit code 0'],
  ['a text', 'hello', true, 'hello\nExecuted.'],
  ['nonsense', { data: { data: 7 } }, false, 'The answer could not be read.'],
  ['nothing', undefined, false, 'The answer could not be read.'],
])('%s becomes an ExecutionResult', (_what, raw, attempted, shown) => {
  const result = toExecutionResult('r', raw)
  expect(result).toMatchObject({ request_id: 'r', execution_success: attempted })
  expect(formatExecution(result)).toBe(shown)
})

import { z } from 'zod'

/** S2 §6: the outcome of an attempt to run code. `execution_success` is false when nothing was attempted. */
export const ExecutionResult = z.object({
  request_id: z.string(),
  execution_success: z.boolean(),
  script_exit_code: z.number().int().nullable(),
  stdout: z.string(),
  stderr: z.string(),
  status_message: z.string(),
})
export type ExecutionResult = z.infer<typeof ExecutionResult>

const Refusal = z.object({ code: z.string(), message: z.string() })
const Run = z.object({ stdout: z.string(), stderr: z.string().default(''), exitCode: z.number() })

/** Failures of code that did begin to run. */
const BEGUN = new Set(['PYTHON_TIMEOUT', 'CANCELLED', 'STOPPED'])

/** The answer of an engine or of a session, in S2's words. */
export function toExecutionResult(request_id: string, raw: unknown): ExecutionResult {
  const own = ExecutionResult.safeParse(raw)
  if (own.success) return own.data
  const nothing = { request_id, execution_success: false, script_exit_code: null, stdout: '', stderr: '' }
  if (typeof raw === 'string') return { ...nothing, execution_success: true, stdout: raw, status_message: 'Executed.' }
  const run = Run.safeParse(raw)
  if (run.success) {
    const { stdout, stderr, exitCode } = run.data
    return {
      request_id,
      execution_success: true,
      script_exit_code: exitCode,
      stdout,
      stderr,
      status_message: exitCode === 0 ? 'Executed.' : 'Executed, and failed.',
    }
  }
  const refusal = Refusal.safeParse(raw).data ?? z.object({ error: Refusal }).safeParse(raw).data?.error
  if (refusal) return { ...nothing, execution_success: BEGUN.has(refusal.code), status_message: `${refusal.code}: ${refusal.message}` }
  const inner = z.object({ data: z.unknown() }).safeParse(raw).data?.data
  return inner === undefined || inner === raw
    ? { ...nothing, status_message: 'The answer could not be read.' }
    : toExecutionResult(request_id, inner)
}

/** As a person reads it in the output display. */
export function formatExecution({ stdout, stderr, status_message, script_exit_code }: ExecutionResult): string {
  const exit = script_exit_code === null ? '' : `exit code ${script_exit_code}`
  return [stdout.trimEnd(), stderr.trimEnd(), status_message, exit].filter(Boolean).join('\n')
}

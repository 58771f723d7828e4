import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'

const MAX_CODE = 1_000_000
const MAX_ARGS = 1000
const MAX_ARG = 100_000

const text = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => !value.includes('\0'), 'must not contain NUL')

/** The parameters of `python.run`, and nothing else. */
export const PythonArgs = z.strictObject({
  code: text(MAX_CODE).optional().describe('Python code to execute. If provided, this takes precedence over file.'),
  file: text(4096).optional().describe('Path to a .py file (alias path like @project/scripts/foo.py). Used if code is not provided.'),
  args: z.array(text(MAX_ARG)).max(MAX_ARGS).optional().describe('Optional command-line arguments to pass to the script.'),
})
export type PythonArgs = z.infer<typeof PythonArgs>

export type Script = { code: string } | { alias: string }

/** Parses what the caller sent; throws BAD_ARGS. An empty string counts as not given. */
export function readArgs(sent: unknown): { script: Script; args: string[] } {
  const parsed = PythonArgs.safeParse(sent)
  if (!parsed.success) throw new DeskhandError('BAD_ARGS', parsed.error.issues.map(sentence).join(' '))
  const { code, file, args = [] } = parsed.data
  if (code) return { script: { code }, args }
  if (file) return { script: { alias: file }, args }
  throw new DeskhandError('BAD_ARGS', 'python.run needs code or file.', {
    next: 'Send the Python text as code, or a path like @project/scripts/foo.py as file.',
  })
}

function sentence(issue: z.core.$ZodIssue): string {
  const where = issue.path.length ? `${issue.path.join('.')}: ` : ''
  return `${where}${issue.message}.`
}

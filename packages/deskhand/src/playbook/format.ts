import { parse, stringify, TomlError } from 'smol-toml'
import { z } from 'zod'
import { DeskhandError, schemaProblem } from '@deskhand/core/errors'
import { Condition, Expectation } from '@deskhand/core/model'

/** What a playbook may be called. */
export const PLAYBOOK_NAME = /^[\w-][\w.-]{0,59}$/

const Parameter = z.strictObject({
  description: z.string().max(500).optional(),
  default: z.string().optional(),
  /** A regular expression that the whole value has to match. */
  pattern: z.string().max(500).optional(),
  /** Whether the value may have line breaks and tabs, which press keys where they are typed. */
  multiline: z.boolean().default(false),
})
export type Parameter = z.output<typeof Parameter>

const Step = z.strictObject({
  tool: z.string().max(100),
  args: z.record(z.string(), z.unknown()).default({}),
  /** Left out where this does not hold. */
  if: z.record(z.string(), z.unknown()).optional(),
  /** What it met when it was recorded. */
  expect: Expectation.optional(),
})
export type PlaybookStep = z.output<typeof Step>

/** A sequence of calls with parameters, as its file has it. */
const Playbook = z.strictObject({
  playbook: z.literal(1),
  name: z.string().regex(PLAYBOOK_NAME),
  description: z.string().max(2_000).optional(),
  parameters: z.record(z.string().regex(/^[a-z]\w{0,39}$/i), Parameter).default({}),
  step: z.array(Step).min(1).max(200),
})
export type Playbook = z.output<typeof Playbook>
export type PlaybookInput = z.input<typeof Playbook>

export function parsePlaybook(text: string): Playbook {
  const read = Playbook.safeParse(toml(text))
  if (read.success) return read.data
  throw bad(schemaProblem(read.error, 'the file'))
}

export const formatPlaybook = (playbook: PlaybookInput): string => stringify(JSON.parse(JSON.stringify(playbook)))

/** A condition, once the parameters are in it. */
export function readCondition(n: number, value: unknown): Condition {
  const read = Condition.safeParse(value)
  if (read.success) return read.data
  throw bad(`step ${n}: if: ${read.error.issues[0]?.message}`)
}

export const bad = (problem: string): DeskhandError =>
  new DeskhandError('BAD_ARGS', `the playbook cannot be used: ${problem}`, {
    next: 'Correct it there; deskhand playbook check reads it without a desktop.',
  })

function toml(text: string): unknown {
  try {
    return parse(text)
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown
    throw bad(`line ${thrown.line}: ${thrown.message.split('\n')[0]}`)
  }
}

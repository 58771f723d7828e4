import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { validateScript } from '@deskhand/code/pyautogui'
import { DeskhandError } from '@deskhand/core/errors'
import { ResolvedTarget, Risk, Verdict, type Result } from '@deskhand/core/model'
import { clip, json, visible } from '@deskhand/core/selector/quote'
import { exitCode } from '../sdk/desk.ts'
import type { Common } from './common.ts'
import { agentDesk } from './connect.ts'

interface Options {
  profile: string
  check?: boolean
  rehearse?: boolean
  toTools?: boolean
  relative?: boolean
  pause: string
  json?: boolean
}

/** Runs a script on the desktop. What it prints goes to standard output, its steps go beside it to the person who watches. */
export async function run(common: Common, file: string, options: Options): Promise<void> {
  const script = file === '-' ? await text(process.stdin) : readScript(file)
  if (options.check) return check(script, options)
  const args = {
    script,
    profile: options.profile,
    relativeCoordinates: options.relative === true,
    pause: Number(options.pause),
    rehearse: options.rehearse === true,
    toTools: options.toTools === true,
  }
  const desk = await agentDesk(common)
  const interrupt = new AbortController()
  const stop = (): void => interrupt.abort(new DeskhandError('CANCELLED', 'the run was interrupted'))
  process.once('SIGINT', stop).once('SIGTERM', stop)
  try {
    const show = options.json ? (note: unknown) => out(json(note)) : (note: unknown) => tell(note, options)
    const result = await desk.call('script.run', args, { onProgress: show, signal: interrupt.signal })
    if (options.json) out(json({ result: { ...result, data: summaryOf(result) } }))
    else conclude(result)
    process.exitCode = exitCode(result)
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
    await desk.close()
  }
}

/** Without a desktop: what is wrong with it ends the command. */
function check(script: string, { profile }: Options): void {
  validateScript(script, { profile: profile === 'strict' ? 'strict' : 'agent' })
  process.stderr.write('nothing is wrong with it\n')
}

const Step = z.object({
  line: z.number(),
  call: z.string(),
  decision: z.object({ verdict: Verdict }).optional(),
  risk: Risk.pick({ level: true }).optional(),
  target: ResolvedTarget.optional(),
  effect: z.string().optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
})
const Note = z.union([z.object({ step: Step }), z.object({ call: z.object({ tool: z.string(), args: z.unknown() }) })])
const Outcome = z.object({
  status: z.string(),
  detail: z.string(),
  output: z.string(),
  error: z.looseObject({ where: z.string().optional() }).optional(),
})

function tell(note: unknown, { rehearse }: Options): void {
  const read = Note.safeParse(note)
  if (!read.success) return
  if ('call' in read.data) out(json(read.data.call))
  else process.stderr.write(`${describe(read.data.step, rehearse === true)}\n`)
}

/** One line about a step: where, what, what was decided, on which element, and what came of it. */
function describe({ line, call, decision, risk, target, effect, error }: z.output<typeof Step>, rehearsed: boolean): string {
  const judged = decision && `${decision.verdict}${risk === undefined ? '' : `, ${risk.level} risk`}`
  const on =
    target &&
    `${target.role}${target.name === undefined ? '' : ` ${clip(target.name, 40)}`}${target.elementId === undefined ? '' : ` ${target.elementId}`}`
  const came = error
    ? `${error.code}: ${error.message}`
    : rehearsed
      ? effect === 'unverified' && 'not certain: a step before may change it'
      : effect !== 'none' && effect
  const facts = [judged, on, came].filter(Boolean).join('; ')
  return visible(`${String(line).padStart(4)}  ${call}${facts === '' ? '' : `  [${facts}]`}`)
}

function conclude(result: Result): void {
  const read = Outcome.safeParse(result.data)
  if (read.success) process.stdout.write(process.stdout.isTTY ? legible(read.data.output) : read.data.output)
  if (result.error !== undefined)
    process.stderr.write(
      `${result.error.code}: ${visible(result.error.message)}\n${placed(read.data?.error?.where)}Next: ${visible(result.error.next)}\n`,
    )
  else if (read.success) process.stderr.write(`${visible(read.data.detail)}\n`)
}

/** The line that failed, with a mark below the place. */
const placed = (where: string | undefined): string => (where === undefined ? '' : `${where.split('\n').map(visible).join('\n')}\n`)

/** The steps were told one by one. */
function summaryOf(result: Result): unknown {
  const read = Outcome.safeParse(result.data)
  return read.success ? read.data : result.data
}

function readScript(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new DeskhandError('BAD_ARGS', `cannot read ${file}`, { cause, next: 'Name a file, or - for standard input.' })
  }
}

/** On a terminal a script's words are words: line breaks and tabs stay, what would move the cursor is shown. */
const legible = (output: string): string =>
  output
    .split(/(\n|\t)/)
    .map((part) => (part === '\n' || part === '\t' ? part : visible(part)))
    .join('')

const out = (line: string): void => void process.stdout.write(`${line}\n`)

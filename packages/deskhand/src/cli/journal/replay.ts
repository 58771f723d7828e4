import { DeskhandError, ERRORS } from '@deskhand/core/errors'
import { lastSeq, recordedCalls } from '@deskhand/core/journal'
import type { MethodInput, Result } from '@deskhand/core/model'
import { visible } from '@deskhand/core/selector/quote'
import { exitCode } from '../../sdk/desk.ts'
import { open } from '../../wiring/open.ts'
import type { Common } from '../common.ts'
import { configOf } from '../config.ts'
import { operatorClient, placeOf } from '../connect.ts'
import { folderOf } from '../journal.ts'
import { Asking } from './asking.ts'
import { entryNumber } from './entry-number.ts'
import { otherDecision, otherOutcome, otherTarget, type Difference } from './compare.ts'
import { target } from './line.ts'
import { Recall, type Step } from './recall.ts'

interface Options {
  from?: string
  to?: string
  step?: boolean
  dryRun?: boolean
  patience: string
  secret?: string[]
}

interface ReplayContext {
  issue(call: MethodInput<'replay'>): Promise<Result>
  close(): Promise<void>
}

/** Makes the recorded calls again on the desktop that is up, or on a simulated one here, and stops where things are no longer as they were. */
export async function replay(common: Common, dir: string | undefined, options: Options): Promise<void> {
  const folder = await folderOf(common, dir)
  const [from, to, patienceMs] = [
    entryNumber(options.from ?? '1'),
    options.to === undefined ? await lastSeq(folder) : entryNumber(options.to),
    seconds(options.patience),
  ]
  const secrets = new Map((options.secret ?? []).map(secretOf))
  const recall = new Recall()
  const asking = new Asking()
  const stage = await stageOf(common)
  let made = 0
  try {
    for await (const call of recordedCalls(folder, { toSeq: to })) {
      const { seq, tool, targets } = call.decided
      recall.learn(call)
      if (seq < from) continue
      const recalled = recall.step(call, patienceMs)
      const what = `${String(seq).padStart(6)}  ${tool}${targets.map((t) => ` ${target(t)}`).join(' to')}`
      if ('skip' in recalled) {
        say(`${what}: left out, ${recalled.skip}`)
        continue
      }
      const { step } = recalled
      if (options.step) {
        const answer = await asking.question(`${what}\n        Enter makes this call, s leaves it out, q ends: `)
        if (answer === undefined || answer === 'q') return say(`ended before entry ${seq}; ${made} made`)
        if (answer === 's') continue
      }
      if (step.hidden !== undefined)
        step.args['secret'] = secrets.get(seq) ?? (options.dryRun ? 'any' : await askSecret(asking, step, what))
      const { words, difference, code } = await again(stage, step, options.dryRun === true, made > 0)
      say(`${what}: ${words}`)
      if (difference !== undefined) {
        say(
          `        expected  ${difference.expected}\n        found     ${difference.found}\nstopped at entry ${seq}; ${made} ${options.dryRun ? 'looked up' : 'made'} before it`,
        )
        process.exitCode = code
        return
      }
      made++
    }
    say(`${made} ${options.dryRun ? 'looked up' : 'made'}, all as recorded`)
  } finally {
    asking.close()
    await stage.close()
  }
}

interface Again {
  words: string
  difference?: Difference
  code: number
}

/** First looks whether the call still means the same, then makes it. */
async function again(stage: ReplayContext, step: Step, dryRun: boolean, later: boolean): Promise<Again> {
  const { seq, tool, kind, args, as } = step
  const call = { seq, tool, kind, args, as }
  const looked = await stage.issue({ ...call, dryRun: true })
  // What an earlier step would bring about cannot be known from a rehearsal.
  if (dryRun && later && looked.error !== undefined && UNKNOWABLE.has(looked.error.code))
    return { words: 'unknown until the calls before it are made', code: 0 }
  const denied = otherDecision(step, looked)
  const before = otherTarget(step, looked) ?? denied ?? failed(looked)
  if (before !== undefined) return { words: 'differs', difference: before, code: before === denied ? DENIED : exitCode(looked) || 1 }
  if (dryRun) return { words: `would be made (${looked.decision?.verdict ?? 'allow'})`, code: 0 }
  const result = await stage.issue({ ...call, dryRun: false })
  const difference = otherTarget(step, result) ?? otherOutcome(step, result)
  return { words: difference === undefined ? result.effect : 'came to something else', difference, code: exitCode(result) || 1 }
}

const DENIED = ERRORS.DENIED.exit
const UNKNOWABLE: ReadonlySet<string> = new Set(['NOT_FOUND', 'AMBIGUOUS_TARGET', 'STALE_REF'])

const failed = ({ error }: Result): Difference | undefined =>
  error && { expected: 'a call that can be made', found: `${error.code}: ${error.message}` }

async function askSecret(asking: Asking, step: Step, what: string): Promise<string> {
  const answer = await asking.question(
    `${what}\n        typed ${step.hidden} characters that were not kept. Name of the secret to type instead: `,
  )
  if (answer) return answer
  throw new DeskhandError('UNKNOWN_SECRET', `entry ${step.seq} typed text that was not kept`, {
    next: `Name a secret for it: --secret ${step.seq}=<name>`,
  })
}

async function stageOf(common: Common): Promise<ReplayContext> {
  if ((await placeOf(common)) !== undefined) {
    const client = await operatorClient(common)
    return { issue: (call) => client.invoke('replay', call), close: () => client.close() }
  }
  const config = configOf(common)
  if (config.desktop.kind !== 'virtual')
    throw new DeskhandError('NO_BROKER', `no broker runs for the desktop ${common.name ?? config.desktop.kind}`)
  const desk = await open({ config })
  return { issue: (call) => desk.session.invoke('replay', call, { id: 'operator', role: 'operator' }), close: () => desk.close() }
}

function secretOf(text: string): [seq: number, name: string] {
  const [, seq, name] = /^(\d+)=([\w.-]+)$/.exec(text) ?? []
  if (seq === undefined || name === undefined)
    throw new DeskhandError('BAD_ARGS', `--secret takes <entry>=<name>, not ${JSON.stringify(text)}`)
  return [Number(seq), name]
}

function seconds(text: string): number {
  const ms = Number(text) * 1000
  if (ms >= 0 && ms <= 600_000) return Math.round(ms)
  throw new DeskhandError('BAD_ARGS', `--patience takes seconds up to 600, not ${JSON.stringify(text)}`)
}

const say = (text: string): void => void process.stdout.write(`${text.split('\n').map(visible).join('\n')}\n`)

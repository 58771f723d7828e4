import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import { ending, TRAITS, type ElementNode, type Principal, type Result } from '@deskhand/core/model'
import type { OpenPlace } from '@deskhand/core/session'
import { clip, visible } from '@deskhand/core/selector/quote'
import { matchesOf } from './found.ts'
import { composedTool, type ComposedTool, type Perform, type Tool, type ToolContext } from './tool.ts'

const BatchArgs = z.strictObject({
  steps: z
    .array(z.strictObject({ tool: z.string().max(100), args: z.record(z.string(), z.unknown()).default({}) }))
    .min(1)
    .max(50)
    .describe('{ tool, args } each, as single calls would be'),
})
type Step = z.output<typeof BatchArgs>['steps'][number]

/** Carries out calls to the tools that `named` knows, one after the other, until something is not as expected. */
export const batchTool = (named: (tool: string) => Tool): ComposedTool => ({
  ...composedTool(
    {
      name: 'ui.batch',
      toolset: 'ui',
      description:
        'Several calls in one, in order. Each is judged and recorded by itself. It stops at the first error, denial, question to a person or surprise (an unexpected dialog, a window that goes, a failed verify) and says how far it came and what changed. Name what a step will open by a selector.',
      input: BatchArgs,
      readOnly: false,
    },
    async (act, { steps }, on, who) => {
      const tools = steps.map((step) => plainTool(named, step))
      const allowed = await act('capabilities', {})
      if (allowed.error !== undefined) return allowed
      return new Batch(act, on, who, steps, tools).run()
    },
  ),
  tells: true,
  stopsWhenAsked: true,
  parts: (args) => {
    const read = BatchArgs.safeParse(args)
    return read.success ? read.data.steps.map((step) => ({ ...step, tool: plainTool(named, step).name })) : undefined
  },
})

/** A tool that a step may call; `click` is `ui.click`. */
function plainTool(named: (tool: string) => Tool, { tool: name }: Step): Exclude<Tool, { control: unknown }> {
  const tool = /[._]/.test(name) ? named(name) : named(`ui.${name}`)
  if ('control' in tool || UNBATCHED.has(tool.name))
    throw new DeskhandError('BAD_ARGS', `ui.batch: ${tool.name} is no step of a batch`, { next: 'Send it as a call of its own.' })
  return tool
}

const UNBATCHED: ReadonlySet<string> = new Set(['ui.batch', 'plan.rehearse'])

class Batch {
  readonly #act: Perform
  readonly #on: ToolContext
  readonly #who: Principal
  readonly #steps: readonly Step[]
  readonly #tools: readonly Exclude<Tool, { control: unknown }>[]
  readonly #lines: string[] = []

  constructor(
    act: Perform,
    on: ToolContext,
    who: Principal,
    steps: readonly Step[],
    tools: readonly Exclude<Tool, { control: unknown }>[],
  ) {
    this.#act = act
    this.#on = on
    this.#who = who
    this.#steps = steps
    this.#tools = tools
  }

  async run(): Promise<Result> {
    const { session } = this.#on
    let sent = false
    let last: Result | undefined
    let modal: OpenPlace | undefined
    let before = await session.places(this.#who)
    for (const [i, step] of this.#steps.entries()) {
      const surprise = modal !== undefined && this.#acts(i) && !(await this.#isIn(modal, step)) ? opened(modal) : undefined
      if (surprise !== undefined) return this.#stopped(i, last, sent, surprise)
      const done = await this.#perform(i, step)
      last = done
      sent ||= done.sent !== 'none'
      this.#lines.push(lineOf(i, this.#tools[i]?.name ?? step.tool, done))
      if (done.error !== undefined) return this.#stopped(i, done, sent, undefined)
      const now = await session.places(this.#who, this.#acts(i))
      const gone = before.find((place) => !isStillThere(place, now) && !isOwn(place, done) && !closes(step))
      if (gone !== undefined && i + 1 < this.#steps.length)
        return this.#stopped(i + 1, last, sent, new DeskhandError('SURPRISE', `${label(gone)} is gone after step ${i + 1}`))
      const appeared = now.find((place) => place.modal && !isStillThere(place, before))
      modal = appeared !== undefined && !expects(step) ? appeared : modal !== undefined && isStillThere(modal, now) ? modal : undefined
      before = now
    }
    if (last === undefined) throw new DeskhandError('BAD_ARGS', 'ui.batch: there are no steps')
    return ending({ ...last, sent: sent ? 'all' : 'none', data: { done: this.#lines.length, left: 0 }, text: this.#lines.join('\n') })
  }

  #acts(i: number): boolean {
    const tool = this.#tools[i]
    return tool !== undefined && ('kind' in tool ? !TRAITS[tool.kind].reads : !tool.readOnly)
  }

  async #perform(i: number, { args }: Step): Promise<Result> {
    const tool = this.#tools[i]
    if (tool === undefined) throw new DeskhandError('INTERNAL', 'a step has no tool')
    if ('kind' in tool) return this.#act(tool.kind, args, { tool: tool.name })
    return tool.compose((kind, more) => this.#act(kind, more, { tool: tool.name }), args, this.#on, this.#who)
  }

  /** Whether a step is meant for a dialog that has just opened: what it names lies in it. */
  async #isIn(dialog: OpenPlace, { args }: Step): Promise<boolean> {
    const fields = Array.isArray(args['fields']) ? (args['fields'] as unknown[]) : []
    const target: unknown = args['target'] ?? args['on'] ?? Object(fields[0])['target']
    if (target === undefined) return false
    const { data, error } = await this.#act('describe', { element: dialog.elementId })
    if (error !== undefined) return false
    const inside = new Set(idsIn(data as ElementNode))
    if (typeof target === 'string' && /^e\d+$/.test(target)) return inside.has(target)
    const selector: unknown = typeof target === 'string' ? target : Object(target)['selector']
    if (typeof selector !== 'string') return inside.has(String(Object(target)['elementId']))
    return matchesOf(await this.#act('query', { selector })).some((found) => inside.has(found.elementId))
  }

  #stopped(at: number, last: Result | undefined, sent: boolean, surprise: DeskhandError | undefined): Result {
    const error = surprise?.toJSON() ?? last?.error
    const left = this.#steps.length - at - (surprise === undefined ? 1 : 0)
    const why = surprise === undefined ? '' : `: ${surprise.message}`
    const lines = [...this.#lines, `stopped before the end${why}; ${left} ${left === 1 ? 'step was' : 'steps were'} not sent`]
    const base = last ?? ending({ status: 'error', op: '', sent: 'none', effect: 'refused' })
    return ending({
      ...base,
      status: 'error',
      sent: sent ? 'partial' : base.sent,
      data: { done: at, left, failed: surprise === undefined ? at + 1 : undefined },
      error: error && { ...error, message: surprise === undefined ? `step ${at + 1}: ${error.message}` : error.message },
      text: lines.join('\n'),
    })
  }
}

function lineOf(i: number, tool: string, { error, effect, resolvedTarget: t, text }: Result): string {
  const target =
    t === undefined ? '' : ` ${t.elementId ?? ''} ${t.role}${t.name === undefined ? '' : ` ${clip(t.name, 60)}`}`.replace('  ', ' ')
  const came = error === undefined ? (effect === 'none' ? 'done' : effect) : visible(`${error.code}: ${error.message}`)
  const own = tool === 'ui.set' || tool.startsWith('ui.query') ? `\n${(text ?? '').replaceAll(/^/gm, '   ')}` : ''
  return `${i + 1} ${tool}${target}: ${came}${own}`
}

const opened = (dialog: OpenPlace): DeskhandError =>
  new DeskhandError('SURPRISE', `${label(dialog)} opened, and the next step is not for it`)

const label = ({ elementId, role, name }: OpenPlace): string => `${elementId} ${role}${name === undefined ? '' : ` ${clip(name, 60)}`}`

const isStillThere = ({ key }: OpenPlace, places: readonly OpenPlace[]): boolean => places.some((p) => p.key === key)

/** A dialog or menu that ends with the press on something in it. */
const isOwn = ({ name, role }: OpenPlace, { resolvedTarget }: Result): boolean => role !== 'window' && resolvedTarget?.window === name

/** Whether a step says itself that a window comes or goes. */
const expects = ({ args }: Step): boolean => Object(args['verify'])['window'] !== undefined
const closes = (step: Step): boolean => step.args['op'] === 'close' || step.tool.endsWith('close') || expects(step)

function* idsIn({ id, children = [] }: ElementNode): Generator<string> {
  yield id
  for (const child of children) yield* idsIn(child)
}

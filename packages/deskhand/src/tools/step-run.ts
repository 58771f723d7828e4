import { DeskhandError } from '@deskhand/core/errors'
import {
  ending,
  TRAITS,
  type Condition,
  type ElementNode,
  type Expectation,
  type PlaybookStamp,
  type Principal,
  type Result,
} from '@deskhand/core/model'
import type { OpenPlace } from '@deskhand/core/session'
import { clip, visible } from '@deskhand/core/selector/quote'
import { matchesOf } from './found.ts'
import type { Perform, Tool, ToolContext } from './tool.ts'

/** A tool that can be one of several steps. */
export type StepTool = Exclude<Tool, { control: unknown }>

export interface Step {
  tool: StepTool
  args: Record<string, unknown>
  /** The step is left out where this does not hold. */
  if?: Condition
  /** What it has to meet. */
  expects?: Expectation
}

/** Carries out calls one after the other, until something is not as expected. */
export class StepRun {
  readonly #act: Perform
  readonly #on: ToolContext
  readonly #who: Principal
  readonly #steps: readonly Step[]
  readonly #playbook: PlaybookStamp | undefined
  readonly #lines: string[] = []
  /** The steps that were seen to do nothing. */
  readonly #idle: number[] = []

  /** `playbook`: what the steps are written in, where they are. */
  constructor(act: Perform, on: ToolContext, who: Principal, steps: readonly Step[], playbook?: PlaybookStamp) {
    this.#act = act
    this.#on = on
    this.#who = who
    this.#steps = steps
    this.#playbook = playbook
  }

  async run(): Promise<Result> {
    const { session } = this.#on
    let sent = false
    let last: Result | undefined
    let modal: OpenPlace | undefined
    let before = await session.places(this.#who)
    for (const [i, step] of this.#steps.entries()) {
      const surprise = modal !== undefined && acts(step) && !(await this.#isIn(modal, step)) ? opened(modal) : undefined
      if (surprise !== undefined) return this.#stopped(i, last, sent, surprise)
      if (step.if !== undefined) {
        const held = await this.#act('assert', { condition: step.if }, { tool: 'ui.assert', playbook: this.#stamp(i) })
        if (held.error?.code === 'ASSERT_FAILED') {
          this.#lines.push(`${i + 1} ${step.tool.name}: left out, its condition does not hold`)
          last ??= ending({ ...held, status: 'success', error: undefined })
          continue
        }
        if (held.error !== undefined) return this.#stopped(i, held, sent, undefined)
      }
      const done = await this.#perform(i, step)
      last = done
      sent ||= done.sent !== 'none'
      this.#lines.push(lineOf(i, step.tool.name, done))
      if (done.effect === 'no_effect') this.#idle.push(i + 1)
      if (done.error !== undefined) return this.#stopped(i, done, sent, undefined)
      const now = await session.places(this.#who, acts(step))
      const appeared = now.find((place) => place.modal && !isStillThere(place, before))
      // What a modal dialog hides in its window comes back with its end.
      const mayHide = (place: OpenPlace): boolean => appeared !== undefined && place.role !== 'window'
      const gone = before.find((place) => !isStillThere(place, now) && !isOwn(place, done) && !mayHide(place) && !closes(step))
      if (gone !== undefined && i + 1 < this.#steps.length)
        return this.#stopped(i + 1, last, sent, new DeskhandError('SURPRISE', `${label(gone)} is gone after step ${i + 1}`))
      modal = appeared !== undefined && !expects(step) ? appeared : modal !== undefined && isStillThere(modal, now) ? modal : undefined
      before = now
    }
    if (last === undefined) throw new DeskhandError('BAD_ARGS', 'there are no steps')
    const first = modal === undefined ? [] : [`${label(modal)} opened at the end`]
    const text = [...first, ...this.#withoutEffect(), ...this.#lines].join('\n')
    return ending({ ...last, sent: sent ? 'all' : 'none', data: { done: this.#lines.length, left: 0 }, text })
  }

  /** Told before the steps: one that came to nothing may have taken the ground from those behind it. */
  #withoutEffect(): string[] {
    const steps = this.#idle.join(', ')
    return steps === '' ? [] : [`no effect was seen of step ${steps}`]
  }

  /** The role that is expected is that of the first thing that a step acts upon; the application is that of all of them. */
  async #perform(i: number, { tool, args, expects }: Step): Promise<Result> {
    const more = { tool: tool.name, playbook: this.#stamp(i) }
    if ('kind' in tool) return this.#act(tool.kind, args, { ...more, expects })
    let left = expects
    const act: Perform = (kind, its) => {
      if (kind === 'describe') return this.#act(kind, its, { ...more, expects: left && { app: left.app } })
      const now = TRAITS[kind].reads ? undefined : left
      if (now !== undefined) left = { app: now.app }
      return this.#act(kind, its, { ...more, expects: now })
    }
    return tool.compose(act, args, this.#on, this.#who)
  }

  #stamp(i: number): PlaybookStamp | undefined {
    return this.#playbook && { ...this.#playbook, step: i + 1 }
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
    const [why, from] = surprise === undefined ? ['', ' behind it'] : [`: ${surprise.message}`, '']
    const lines = [
      ...this.#withoutEffect(),
      ...this.#lines,
      `stopped before the end${why}; ${left} ${left === 1 ? 'step' : 'steps'}${from} ${left === 1 ? 'was' : 'were'} not sent`,
    ]
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

const acts = ({ tool }: Step): boolean => ('kind' in tool ? !TRAITS[tool.kind].reads : !tool.readOnly)

function lineOf(i: number, tool: string, { error, effect, resolvedTarget: t, text }: Result): string {
  const target =
    t === undefined ? '' : ` ${t.elementId ?? ''} ${t.role}${t.name === undefined ? '' : ` ${clip(t.name, 60)}`}`.replace('  ', ' ')
  const came = error === undefined ? (effect === 'none' ? 'done' : effect) : visible(`${error.code}: ${error.message}`)
  const own = text === undefined || text === '' ? '' : `\n${text.replaceAll(/^/gm, '   ')}`
  const fallback = t?.why?.find((why) => why.startsWith('found by alternative'))
  return `${i + 1} ${tool}${target}: ${came}${fallback === undefined ? '' : `, ${fallback} of its selector`}${own}`
}

const opened = (dialog: OpenPlace): DeskhandError =>
  new DeskhandError('SURPRISE', `${label(dialog)} opened, and the next step is not for it`)

const label = ({ elementId, role, name }: OpenPlace): string => `${elementId} ${role}${name === undefined ? '' : ` ${clip(name, 60)}`}`

const isStillThere = ({ key }: OpenPlace, places: readonly OpenPlace[]): boolean => places.some((p) => p.key === key)

/** A dialog or menu that ends with the press on something in it. */
const isOwn = ({ name, role, modal }: OpenPlace, { resolvedTarget }: Result): boolean =>
  isList({ name, modal }) || (role !== 'window' && resolvedTarget?.window === name)

/** The list of a drop-down, a modal window without a name, goes once something is chosen. */
const isList = ({ name, modal }: Pick<OpenPlace, 'name' | 'modal'>): boolean => modal && (name ?? '') === ''

/** Whether a step says itself that a window comes or goes. */
const expects = ({ args }: Step): boolean => Object(args['verify'])['window'] !== undefined
const closes = (step: Step): boolean => step.args['op'] === 'close' || step.tool.name.endsWith('close') || expects(step)

function* idsIn({ id, children = [] }: ElementNode): Generator<string> {
  yield id
  for (const child of children) yield* idsIn(child)
}

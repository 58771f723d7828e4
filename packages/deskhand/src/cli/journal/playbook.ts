import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import { lastSeq, recordedCalls, type RecordedCall } from '@deskhand/core/journal'
import { TRAITS, type ActionKind, type Expectation, type TargetFacts } from '@deskhand/core/model'
import { quote, visible } from '@deskhand/core/selector/quote'
import { formatPlaybook, PLAYBOOK_NAME, type PlaybookInput } from '../../playbook/format.ts'
import { escapeBraces, fillIn } from '../../playbook/recording.ts'
import { TOOLS } from '../../tools/list.ts'
import type { Common } from '../common.ts'
import { folderOf } from '../journal.ts'
import { entryNumber } from './entry-number.ts'
import { RecordedSets, toggleState } from './recorded-sets.ts'
import { Recall, selectorFor, type Step } from './recall.ts'

interface Options {
  from?: string
  to?: string
  title?: string
  parameter?: string[]
}

/** How long an element of a step may take to appear. */
const PATIENCE_MS = 10_000

type PlaybookStep = PlaybookInput['step'][number]

/** The recorded calls as a playbook: by selectors, with what each met and what came of it, and without any place on the screen. */
export async function exportPlaybook(common: Common, file: string, dir: string | undefined, options: Options): Promise<void> {
  const folder = await folderOf(common, dir)
  const [from, to] = [entryNumber(options.from ?? '1'), options.to === undefined ? await lastSeq(folder) : entryNumber(options.to)]
  const name = options.title ?? (file === '-' ? 'playbook' : basename(file).replace(/(\.playbook)?\.toml$/, ''))
  if (!PLAYBOOK_NAME.test(name)) throw new DeskhandError('BAD_ARGS', `${name} is no name for a playbook`, { next: 'Name it with --title.' })
  const given = new Map((options.parameter ?? []).map(parameterOf))
  const parameters: NonNullable<PlaybookInput['parameters']> = Object.fromEntries([...given.keys()].map((one) => [one, {}]))
  const step: PlaybookStep[] = []
  const unused = new Set(given.keys())
  const take = (of: RecordedCall, made: Made): void => {
    if (made.steps === undefined) {
      if (made.skip !== undefined) note(`entry ${of.decided.seq}, ${of.decided.tool}: left out, ${made.skip}`)
      return
    }
    if (made.hidden !== undefined) parameters[made.hidden] = { description: 'was typed and not kept' }
    step.push(...made.steps.map((one) => fillIn(one, given, (used) => unused.delete(used))))
  }
  const recall = new Recall()
  const sets = new RecordedSets()
  for await (const call of recordedCalls(folder, { toSeq: to })) {
    recall.learn(call)
    if (call.decided.seq < from) continue
    const settled = sets.next(call)
    if (settled !== undefined) take(settled, settledSteps(settled))
    take(call, stepsOf(recall, call))
  }
  const settled = sets.next()
  if (settled !== undefined) take(settled, settledSteps(settled))
  if (step.length === 0)
    throw new DeskhandError('BAD_ARGS', 'nothing that was done can be a step', { next: 'Name other entries with --from and --to.' })
  for (const one of unused)
    throw new DeskhandError('BAD_ARGS', `--parameter ${one}: ${JSON.stringify(given.get(one))} stands in no step`, {
      next: 'Give a text that was typed or that a selector names, as deskhand journal list shows it.',
    })
  const text = formatPlaybook({ playbook: 1, name, parameters, step })
  if (file === '-') process.stdout.write(text)
  else writeNew(file, text)
  const values = Object.keys(parameters).map((one) => `${one}=${given.has(one) ? JSON.stringify(given.get(one)) : '…'}`)
  const withValues = values.length === 0 ? '' : ` --with ${values.join(' ')}`
  note(`${step.length} steps. Read it${file === '-' ? '' : `, try it with: deskhand play ${file} --rehearse${withValues}`}`)
}

type Made = { steps: PlaybookStep[]; hidden?: string } | { steps?: undefined; skip?: string }

/** A recorded call as steps. Looks are left out without a word. */
function stepsOf(recall: Recall, call: RecordedCall): Made {
  const { tool: by, kind, targets, origin } = call.decided
  if (origin !== undefined) return { skip: `line ${origin.line} of a script` }
  let recalled: ReturnType<Recall['step']>
  try {
    recalled = recall.step(call, PATIENCE_MS)
  } catch (thrown) {
    return { skip: DeskhandError.from(thrown).message }
  }
  if ('skip' in recalled) return { skip: recalled.skip === 'only looked' ? undefined : recalled.skip }
  if (call.done === undefined) return { skip: 'what it came to is not known' }
  if (call.done.status === 'error') return { skip: `it failed then: ${call.done.code ?? 'error'}` }
  const { step } = recalled
  const [first] = targets
  const was = by === 'ui.set' && kind === 'click' && first !== undefined ? toggleState(first) : undefined
  if (first !== undefined && was !== undefined) return setSteps(first, !was)
  const named = byName(step, targets)
  if (named === undefined) return { skip: 'only a place on the screen is known' }
  const tool = TOOLS.find((t) => 'kind' in t && t.kind === named.kind && (t.toolset === 'ui' || t.toolset === 'desktop'))
  if (tool === undefined) return { skip: `${kind} cannot be a step` }
  const args = escapeBraces(Object.fromEntries(Object.entries(named.args).filter(([key, value]) => value !== USUAL[key])))
  const hidden = step.hidden === undefined ? undefined : `text${step.seq}`
  if (hidden !== undefined) args['text'] = `{${hidden}}`
  const verify = args['verify'] ?? verifyOf(step, args)
  const expect = TRAITS[named.kind].reads ? undefined : expectationOf(first)
  return { steps: [{ tool: tool.name, args: { ...args, verify }, expect }], hidden }
}

/** Arguments that say what holds without them. */
const USUAL: Readonly<Record<string, unknown>> = { button: 'left', clickCount: 1, redactInLogs: false }

/** A set that found its control as it was to be. */
function settledSteps({ decided }: RecordedCall): Made {
  const [facts] = decided.targets
  if (facts === undefined) return {}
  const state = toggleState(facts)
  if (state !== undefined) return setSteps(facts, state)
  return { skip: `${facts.role}${facts.name === undefined ? '' : ` ${quote(facts.name)}`} held it already, and what that was is not kept` }
}

/** Brings a toggle to a state, whatever it is in; `ui.set` itself does not wait for it to appear. */
function setSteps(facts: TargetFacts, value: boolean): Made {
  const selector = lasting(facts)
  if (selector === undefined) return { skip: 'only a place on the screen is known' }
  const { target } = escapeBraces({ target: selector })
  return {
    steps: [
      { tool: 'ui.wait', args: { until: { uiState: { target, enabled: true } }, timeoutMs: PATIENCE_MS } },
      { tool: 'ui.set', args: { target, value }, expect: expectationOf(facts) },
    ],
  }
}

/** The arguments by selectors: a press on a pixel becomes one on the element that it met. */
function byName(
  { kind, args, recorded }: Step,
  targets: readonly TargetFacts[],
): { kind: ActionKind; args: Record<string, unknown> } | undefined {
  const [first, second] = targets
  if (kind === 'click_xy') {
    const target = lasting(first)
    const { x: _x, y: _y, coordinateSpace: _c, imageId: _i, ...rest } = args
    return target === undefined ? undefined : { kind: 'click', args: { target, ...rest, timeoutMs: PATIENCE_MS } }
  }
  if (kind === 'drag') {
    const [from, to] = [written(recorded, 'from') ?? lasting(first), written(recorded, 'to') ?? lasting(second)]
    return from === undefined || to === undefined ? undefined : { kind, args: { ...args, from, to } }
  }
  const target = args['target'] === undefined ? undefined : (written(recorded, 'target') ?? lasting(first))
  return { kind, args: target === undefined ? args : { ...args, target } }
}

/** The selector that the agent wrote itself. */
function written({ decided }: RecordedCall, key: string): string | undefined {
  const selector: unknown = Object(Object(decided.args)[key])['selector']
  return typeof selector === 'string' && !/^e\d+\b/.test(selector) ? selector : undefined
}

/** A selector for an element that was met: in its window first, and in its application where that has another title by now. */
function lasting(facts: TargetFacts | undefined): string | undefined {
  if (facts?.key === undefined || facts.region !== undefined) return undefined
  const exact = selectorFor(facts)
  if (facts.app === undefined || facts.window?.title === undefined) return exact
  const anywhere = selectorFor({ ...facts, window: undefined, path: [] })
  return `${exact} ?? ${anywhere} && app=${quote(facts.app.name)}`
}

function expectationOf(facts: TargetFacts | undefined): Expectation | undefined {
  if (facts?.key === undefined) return undefined
  const { role, app } = facts
  if (app?.executable === undefined) return { role, app: app && { name: app.name } }
  const { executable, runs, bundle } = app
  return { role, app: { executable, runs, bundle } }
}

/** What the step brought about then, as far as it can be stated: the text in the field, the mark in the box. */
function verifyOf({ recorded: { decided, done } }: Step, args: Record<string, unknown>): Record<string, unknown> | undefined {
  const [facts] = decided.targets
  if (done?.effect !== 'confirmed' || facts?.states === undefined) return undefined
  const { text, submit } = args
  if (decided.kind === 'type' && typeof text === 'string' && submit === undefined && !/[\n\t]/.test(text) && facts.states.password !== true)
    return { uiState: args['mode'] === 'replace' ? { value: text } : { valueContains: text } }
  const { checked } = facts.states
  const isPress = decided.kind === 'click' && typeof checked === 'boolean'
  if (isPress && facts.role === 'radio') return { uiState: { checked: true } }
  return isPress && MARKED.has(facts.role) ? { uiState: { checked: !checked } } : undefined
}

/** What a press puts a mark on, or takes it off. */
const MARKED: ReadonlySet<string> = new Set(['checkbox', 'switch', 'togglebutton'])

function parameterOf(text: string): [name: string, value: string] {
  const [, name, value] = /^([a-z]\w*)=(.+)$/is.exec(text) ?? []
  if (name !== undefined && value !== undefined) return [name, value]
  throw new DeskhandError('BAD_ARGS', `--parameter takes <name>=<text that was typed>, not ${JSON.stringify(text)}`)
}

function writeNew(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 })
  } catch (cause) {
    throw new DeskhandError('BAD_ARGS', `${file} cannot be written, or is there already`, { cause, next: 'Name another file.' })
  }
}

const note = (text: string): void => void process.stderr.write(`${visible(text)}\n`)

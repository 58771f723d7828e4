import type { TargetFacts } from '@deskhand/core/model'
import { TEXT } from '../text.ts'
import { reasonOf } from './rules.ts'
import type { Note, Step } from './steps.ts'

/** A sentence in parts; the strong ones are names from the screen or of the caller. */
export type Phrase = readonly (string | { strong: string })[]

/** How a step stands, for its mark. */
export type Mark =
  | 'confirmed'
  | 'changed'
  | 'unverified'
  | 'no_effect'
  | 'refused'
  | 'denied'
  | 'asking'
  | 'running'
  | 'read'
  | 'done'
  | 'rehearsed'

/** A call as one sentence: what was done, or what was wanted. */
export function sentence(step: Step): Phrase {
  const { decided, done } = step
  const { kind, args, targets } = decided
  const isDone = done !== undefined && (done.sent !== 'none' || done.effect === 'none') && decided.dryRun !== true
  const tense = isDone ? 0 : 1
  const target = nameOf(targets.find((t) => t.reached === undefined))
  const verb = TEXT.verbs[kind]?.[tense] ?? decided.tool
  const what = words(args, 'text')
  switch (kind) {
    case 'type':
      return upon(TEXT.typed(what === undefined ? undefined : [...what].length, isDone), target)
    case 'key':
      return [
        `${verb} `,
        { strong: keyWords([argument(args, 'keys')].flat().map(String)) },
        ...(target === '' ? [] : [TEXT.in, { strong: target }]),
      ]
    case 'launch':
    case 'close':
      return [`${verb} `, { strong: words(args, 'app') ?? target }]
    case 'window':
      return [`${TEXT.windowOps[words(args, 'op') ?? '']?.[tense] ?? verb} `, ...strong(target)]
    case 'query':
    case 'describe':
      return [`${verb} `, { strong: words(args, 'selector') ?? target }]
    case 'code':
      return [(decided.tool === 'python.run' ? TEXT.ranPython : TEXT.ranScript)[tense]]
    default:
      return upon(verb, target)
  }
}

/** What a question or a step of a plan is about. Which keys, and how much text: the summary of a call leaves that out. */
export function wanted({ tool, args, summary }: { tool: string; args?: unknown; summary: string }): string {
  const [verb = '', ...others] = summary.split(' ')
  const rest = others.join(' ')
  const keys = [argument(args, 'keys')].flat().filter((key) => typeof key === 'string')
  const text = words(args, 'text')
  if (tool === 'ui.key' && keys.length > 0)
    return `${TEXT.verbs['key']?.[1]} ${keys.join(', ')}${rest === '' || rest.startsWith('in ') ? ` ${rest}` : `${TEXT.in}${rest}`}`.trim()
  if (tool === 'ui.type' && text !== undefined) return `${TEXT.typed([...text].length, false)}${rest}`
  return `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${rest}`.trim()
}

/** The sentence without its marks. */
export const plain = (phrase: Phrase): string => phrase.map((part) => (typeof part === 'string' ? part : part.strong)).join('')

/** Where it happened: window and application. */
export const whereOf = ({ decided: { targets } }: Step): string => placeOf(targets[0])

/** Its window and its application. */
export const placeOf = (target: TargetFacts | undefined): string => toldOnce([target?.window?.title, target?.app?.name]).join(' · ')

/** The names that are there, each once where neighbours have the same. */
export const toldOnce = (names: readonly (string | undefined)[]): readonly string[] =>
  names
    .filter((name): name is string => name !== undefined && name !== '')
    .filter((name, i, all) => i === 0 || name.toLowerCase() !== all[i - 1]?.toLowerCase())

/** What is told below the sentence: why it was refused, what was seen, who agreed. */
export function detailOf({ decided, answered, done }: Step): string {
  if (answered?.allow === false)
    return [TEXT.deniedBy(answered.by?.id ?? '?'), answered.reason].filter((text) => text !== undefined && text !== '').join(': ')
  if (decided.decision.verdict === 'deny') return messageOf(decided)
  if (done?.code !== undefined) return done.verification?.details ?? TEXT.codes[done.code] ?? done.code
  if (done?.verification !== undefined) return done.verification.details
  if (answered !== undefined) return TEXT.allowedBy(answered.by?.id ?? '?')
  return ''
}

/** What a rule has to say about its denial; the whole reason, with the rule, where it says nothing. */
const messageOf = ({ tool, decision }: Step['decided']): string => decision.reason.split(` denies ${tool}: `)[1] ?? reasonOf(decision)

/** What changes nothing by itself and is no look either: a script, whose calls are rows of their own, and what it asks a person. */
const RUNS: ReadonlySet<string> = new Set(['code', 'ask'])

export function markOf({ decided, answered, done }: Step): Mark {
  if (decided.dryRun === true) return 'rehearsed'
  if (done === undefined) return decided.decision.verdict === 'ask_user' && answered === undefined ? 'asking' : 'running'
  if (decided.decision.verdict === 'deny' || answered?.allow === false) return 'denied'
  if (done.effect === 'none') return done.status === 'error' ? 'refused' : RUNS.has(decided.kind) ? 'done' : 'read'
  return done.effect
}

/** A call that was refused before it became one is marked as such. */
export const noteMark = ({ entry }: Note): Mark | undefined => (entry.type === 'rejected' ? 'refused' : undefined)

export function noteSentence({ entry, times = 1 }: Note): Phrase {
  switch (entry.type) {
    case 'operator':
      return [{ strong: entry.by.id }, ` ${TEXT.operatorDid[entry.what] ?? entry.what}${TEXT.times(times)}`]
    case 'human':
      return [TEXT.humanWas(entry.pointerEvents, entry.keyEvents)]
    case 'rejected':
      return [{ strong: entry.principal.id }, ` ${TEXT.wasRefused} `, { strong: entry.tool }, `: ${entry.message}`]
    case 'checkpoint':
      return [TEXT.checkpoints[entry.why]]
    default:
      return entry satisfies never
  }
}

/** A target as a person would call it. */
export function nameOf(target: TargetFacts | undefined): string {
  if (target === undefined || target.source === 'none') return target?.name ?? ''
  const name = target.name ?? target.says?.[0] ?? target.value
  return name === undefined || name === '' ? TEXT.unnamed(target.role) : name
}

/** A verb with what it is done to; where nothing is known of that, without the word that leads to it. */
const upon = (verb: string, target: string): Phrase =>
  target === '' ? [verb.trim().replace(LEADING, '')] : [`${verb.trim()} `, { strong: target }]
const LEADING = / (?:at|in|into|on)$/

/** Keys by their names; letters in a row, as scripts type them, by their number. */
function keyWords(keys: readonly string[]): string {
  const told: string[] = []
  for (let at = 0; at < keys.length;) {
    let end = at
    while (end < keys.length && ([...(keys[end] ?? '')].length === 1 || keys[end] === 'space')) end++
    if (end - at >= MANY_LETTERS) told.push(TEXT.letters(end - at))
    else told.push(...keys.slice(at, (end = Math.max(end, at + 1))))
    at = end
  }
  return told.join(', ')
}
const MANY_LETTERS = 4

const strong = (name: string): Phrase => (name === '' ? [] : [{ strong: name }])

function words(args: unknown, name: string): string | undefined {
  const value = argument(args, name)
  return typeof value === 'string' ? value : undefined
}

function argument(args: unknown, name: string): unknown {
  return typeof args === 'object' && args !== null && name in args ? (args as Record<string, unknown>)[name] : undefined
}

import {
  TRAITS,
  type Action,
  type ActionKind,
  type ActionOf,
  type Question,
  type ResolvedTarget,
  type Result,
  type TargetFacts,
} from '../model/index.ts'
import { clip } from '../selector/index.ts'

/** An element in words: its role, and its name where it has one. */
export const label = (n: { role: string; name?: string }): string => (n.name === undefined ? n.role : `${n.role} ${clip(n.name)}`)

/** An action on its targets, in one line. */
export function summary(action: Action, targets: readonly TargetFacts[]): string {
  if (action.do === 'ask') return `${action.question}: ${clip(action.message)}`
  const what = targets.filter(isNamed).map(label).join(' to ')
  const where = targets[0]?.window?.title
  const reached = targets.filter((t) => !isNamed(t)).map(label)
  const more = reached.length > MOST_REACHED ? ` or ${reached.length - MOST_REACHED} others` : ''
  const beyond = reached.length === 0 ? '' : `, which can press ${reached.slice(0, MOST_REACHED).join(' or ')}${more}`
  return `${action.do}${what === '' ? '' : ` ${what}`}${where === undefined ? '' : ` in ${clip(where)}`}${beyond}`
}

const MOST_REACHED = 3

/** Whether the call names this target, or has it by the focus or a pixel; others are only reached by its events. */
export const isNamed = ({ reached }: Pick<TargetFacts, 'reached'>): boolean => reached === undefined

export function asQuestion({ question: kind, title, message, buttons, default: initial }: ActionOf<'ask'>): Question {
  return { kind, title, message, buttons, default: initial }
}

export function resolvedTarget(f: TargetFacts | undefined): ResolvedTarget | undefined {
  if (f === undefined || f.source === 'none') return undefined
  const { elementId, role, name, confidence, why } = f
  return { elementId, role, name, bounds: f.region ?? f.bounds, confidence, why, app: f.app?.name, window: f.window?.title }
}

/** Tells every text in a result that may have come from the screen. */
export function screenTexts(kind: ActionKind, { text, error, data }: Result, tell: (text: string) => void): void {
  for (const said of [text, error?.message]) if (said !== undefined) tell(said)
  textsIn(error?.details, tell)
  if (TRAITS[kind].showsScreen) textsIn(data, tell)
}

const TEXTS: ReadonlySet<string> = new Set(['text', 'name', 'value', 'description', 'title', 'attributes'])

function textsIn(value: unknown, tell: (text: string) => void, isText = false): void {
  if (typeof value === 'string' && isText) tell(value)
  if (typeof value !== 'object' || value === null) return
  for (const [name, part] of Object.entries(value)) textsIn(part, tell, isText || TEXTS.has(name))
}

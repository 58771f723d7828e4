import type { Decision, Effect, ResolvedTarget, Result, Risk } from '@deskhand/core/model'
import { clip, json, visible } from '@deskhand/core/selector/quote'
import type { ScriptResult, ScriptStep } from '@deskhand/code/pyautogui'

/** A call of a script as its caller is told of it; the record has the rest. */
export interface ToldStep {
  line: number
  call: string
  /** Role, name and id of what it went to. */
  target?: string
  effect?: Effect
  /** Only where it is not all. */
  sent?: Result['sent']
  /** Only where a rule did not simply allow it, and in rehearsals. Each reason is told once. */
  decision?: Pick<Decision, 'verdict'> & { reason?: string }
  risk?: Risk['level']
  error?: ScriptStep['error']
}

export type ToldScript = Omit<ScriptResult, 'steps'> & {
  steps: ToldStep[]
  /** How many it took; the last ones are beside the answer. */
  screenshots?: number
}

export function told(result: ScriptResult, rehearsed: boolean): ToldScript {
  const given = new Set<string>()
  const steps = result.steps.map((step): ToldStep => {
    const { line, call, target, effect, sent, decision, risk, error } = step
    const short: ToldStep = { line, call }
    if (target !== undefined) short.target = named(target)
    if (effect !== undefined && effect !== 'none') short.effect = effect
    if (sent === 'partial' || sent === 'unknown') short.sent = sent
    if (decision !== undefined && (rehearsed || decision.verdict !== 'allow')) {
      short.decision = given.has(decision.reason) ? { verdict: decision.verdict } : { verdict: decision.verdict, reason: decision.reason }
      given.add(decision.reason)
      short.risk = risk?.level
    }
    if (error !== undefined) short.error = error
    return short
  })
  return { ...result, steps }
}

const MOST_LINES = 40

/** What a model reads: a line per call, then what the script printed. */
export function scriptText({ status, detail, error, steps, output, screenshots }: ToldScript, pictures = 0): string {
  const lines = steps.map(lineOf)
  const middle = lines.length - MOST_LINES
  if (middle > 0) lines.splice(MOST_LINES / 2, middle, `      … ${middle} more`)
  if (status === 'ok') lines.unshift(visible(detail))
  if (error?.where !== undefined) lines.push(...error.where.split('\n').map(visible))
  if (screenshots !== undefined && screenshots > pictures) lines.push(`the last ${pictures} of ${screenshots} screenshots are here`)
  if (output !== '') lines.push(`output ${json(output)}`)
  return lines.join('\n')
}

function lineOf({ line, call, target, effect, sent, decision, risk, error }: ToldStep): string {
  const judged = decision && [decision.verdict, risk && `${risk} risk`, decision.reason].filter(Boolean).join(', ')
  const came = error ? `${error.code}: ${error.message}` : [sent && `sent ${sent}`, effect].filter(Boolean).join(', ')
  const facts = [came, target, judged].filter(Boolean).join('; ')
  return visible(`${String(line).padStart(4)}  ${call}${facts === '' ? '' : `  [${facts}]`}`)
}

const named = ({ role, name, elementId }: ResolvedTarget): string =>
  [role, name === undefined ? undefined : clip(name, 40), elementId].filter((part) => part !== undefined).join(' ')

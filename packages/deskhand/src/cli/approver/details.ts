import { appWords, type Approval, type PlannedStep, type Question, type TargetFacts } from '@deskhand/core/model'
import { clip, visible } from '@deskhand/core/selector/quote'

export interface Field {
  label: string
  text: string
  /** Rows it may take where the screen is small, so that no name and no text pushes the rest out of view. */
  most?: number
}

/**
 * What a person needs to know of a question, the weightiest first; what had to be cut stands whole at the end. Text from the
 * screen or from the agent is quoted, and always last in its field, so that no writing direction reaches what is ours.
 */
export function details(a: Approval, picture?: string): Field[] {
  return [
    { label: 'action', text: visible(`${a.tool}, asked by ${a.principal.id}`), most: 1 },
    ...a.targets.flatMap((t, i) => touched(t, a.targets.length > 1 ? ` ${i + 1}` : '')),
    ...(a.changed?.length ? [{ label: 'changed', text: visible(`since it was asked before: ${a.changed.join('; ')}`), most: 3 }] : []),
    ...(a.question === undefined ? inputs(a.args) : asked(a.question)),
    ...(a.steps ?? []).flatMap(stepFields),
    { label: 'risk', text: `${a.risk.level}, score ${a.risk.score}` },
    { label: 'rule', text: ruleOf(a), most: 2 },
    ...a.risk.factors.map((f, i) => ({ label: i === 0 ? 'factors' : '', text: visible(`+${f.weight} ${f.id}: ${f.detail}`), most: 2 })),
    ...(a.around?.length
      ? [{ label: 'around it', text: a.around.map((f) => `${visible(f.label)} = ${clip(f.value, 60)}`).join(', '), most: 4 }]
      : []),
    ...(a.leftOut?.length ? [{ label: 'not bound', text: visible(`changes by itself: ${a.leftOut.join(', ')}`), most: 2 }] : []),
    { label: 'expires', text: a.expiresAt },
    ...(a.crop === undefined ? [] : [{ label: 'picture', text: picture ?? visible(`deskhand approvals picture ${a.id} <file> saves it`) }]),
    { label: 'why', text: visible(a.decision.reason) },
    { label: 'operation', text: visible(a.op) },
    { label: 'arguments', text: whole(a.args) },
    { label: 'targets', text: whole(a.targets) },
    ...(a.steps === undefined ? [] : [{ label: 'steps', text: whole(a.steps) }]),
  ]
}

/** What a script asks, in the script's own words. */
function asked({ kind, title, message, buttons = [] }: Question): Field[] {
  return [
    { label: 'question', text: `${kind}${title === '' ? '' : ` ${clip(title, 60)}`}`, most: 1 },
    { label: 'says', text: clip(message, 2_000), most: 6 },
    ...buttons.map((b, i) => ({ label: i === 0 ? 'answers' : '', text: clip(b, 60), most: 1 })),
  ]
}

/** One step of a plan: what this answer means for it, what it touches, and what it would enter there. */
function stepFields({ n, summary, state, why, needs, risk, decision, error, args, targets }: PlannedStep): Field[] {
  const level = risk === undefined ? '' : `, ${risk.level} risk`
  const denied = decision?.verdict === 'deny' ? 'denied' : 'passes by the rules'
  const means = {
    nothing: error === undefined ? denied : `would fail with ${error.code}`,
    plan: 'AGREED TO with this answer',
    grant: 'asks later, unless it is granted with this answer',
    question: 'asks again when it comes',
  }[needs]
  const app = targets[0]?.app
  return [
    { label: `step ${n}`, text: visible(`${state}, ${means}${level}: ${summary}`), most: 3 },
    ...(why === undefined ? [] : [{ label: '', text: visible(`unknown because ${why}`), most: 2 }]),
    ...(app === undefined ? [] : [{ label: '', text: visible(`in ${appWords(app)}`), most: 1 }]),
    ...inputs(args).map(({ label, ...field }) => ({ ...field, label: '', text: `${label}: ${field.text}` })),
    ...(risk?.factors ?? []).map((f) => ({ label: '', text: visible(`+${f.weight} ${f.id}: ${f.detail}`), most: 1 })),
  ]
}

function ruleOf({ decision: { rule } }: Approval): string {
  if (rule === undefined) return 'none'
  return visible(`${rule.file}:${rule.line} (${rule.tier})${rule.name === undefined ? '' : ` ${clip(rule.name, 60)}`}`)
}

function touched(t: TargetFacts, nth: string): Field[] {
  const corner = t.bounds ?? t.at
  const size = t.bounds === undefined ? '' : `, ${Math.round(t.bounds.w)} by ${Math.round(t.bounds.h)}`
  const place = corner === undefined ? 'unknown' : `x ${Math.round(corner.x)}, y ${Math.round(corner.y)}${size}`
  const fields: Field[] = [
    { label: `element${nth}`, text: visible(`${t.role}${t.name === undefined ? '' : ` ${clip(t.name)}`}`), most: 1 },
    { label: `path${nth}`, text: t.path.map((name) => clip(name, 60)).join(' > '), most: 2 },
    { label: `bounds${nth}`, text: `${place} (found by ${t.source}, confidence ${t.confidence})`, most: 1 },
  ]
  if (t.app !== undefined) {
    const { pid, name } = t.app
    fields.push({
      label: `app${nth}`,
      text: visible(`${appWords(t.app)}${pid === undefined ? '' : `, pid ${pid}`}, calls itself ${clip(name, 60)}`),
      most: 1,
    })
  }
  if (t.url !== undefined) fields.push({ label: `address${nth}`, text: clip(t.url), most: 1 })
  return fields
}

/** The arguments that say what would be entered. */
function inputs(args: unknown): Field[] {
  if (typeof args !== 'object' || args === null) return []
  return Object.entries(args)
    .filter(([name, value]) => INPUTS.has(name) && value !== undefined)
    .map(([label, value]) => ({ label, text: inputText(value), most: label === 'text' ? 2 : 1 }))
}

const INPUTS: ReadonlySet<string> = new Set(['text', 'secret', 'keys', 'code', 'file', 'app', 'args', 'op', 'to'])

function inputText(value: unknown): string {
  if (typeof value === 'string') return `${value.length} characters: ${clip(value, 240)}`
  if (typeof value === 'object' && value !== null && 'redacted' in value && 'length' in value)
    return `${String(value.length)} characters that are not shown`
  return clip(JSON.stringify(value), 240)
}

function whole(value: unknown): string {
  const json = JSON.stringify(value)
  return visible(
    json.length > LONGEST ? `${json.slice(0, LONGEST)}… (${json.length} characters; deskhand approvals list --json has all)` : json,
  )
}

const LONGEST = 4_000

import { DeskhandError } from '@deskhand/core/errors'
import type { RecordedCall } from '@deskhand/core/journal'
import { ACTIONS, isKind, TRAITS, type ActionKind, type TargetFacts } from '@deskhand/core/model'
import { quote } from '@deskhand/core/selector/quote'

/** A recorded call, ready to be made again. */
export interface Step {
  seq: number
  tool: string
  kind: ActionKind
  args: Record<string, unknown>
  as: string
  recorded: RecordedCall
  /** Text that was not kept: this many characters. A secret has to be named for it. */
  hidden?: number
}

export type Recalled = { step: Step } | { skip: string }

/** Turns recorded calls into steps. Ids of elements belong to the session that gave them, so it remembers what they stood for. */
export class Recall {
  readonly #known = new Map<string, TargetFacts>()

  learn({ decided }: RecordedCall): void {
    for (const t of decided.targets) if (t.elementId !== undefined) this.#known.set(`${life(decided.op)} ${t.elementId}`, t)
  }

  step(call: RecordedCall, patienceMs: number): Recalled {
    const { decided, acting, done } = call
    const { kind, tool, seq, principal, origin } = decided
    if (!isKind(kind)) return { skip: `the action ${kind} is not known here` }
    if (origin !== undefined) return { skip: `line ${origin.line} of a script, which makes it again itself` }
    if (TRAITS[kind].reads && kind !== 'wait' && kind !== 'assert') return { skip: 'only looked' }
    if (done?.status === 'error' && (acting === undefined || done.sent === 'none'))
      return { skip: `came to nothing then: ${done.code ?? 'error'}` }
    const { args, hidden } = this.#args(call, kind)
    if (isPatient(kind)) args['timeoutMs'] = Math.max(typeof args['timeoutMs'] === 'number' ? args['timeoutMs'] : 0, patienceMs)
    return { step: { seq, tool, kind, args, as: principal.id, recorded: call, hidden } }
  }

  #args({ decided }: RecordedCall, kind: ActionKind): { args: Record<string, unknown>; hidden?: number } {
    const args = { ...record(this.#retarget(decided.args, decided.op, decided.seq)) }
    const [first, second] = decided.targets
    if (kind === 'click_xy') Object.assign(args, placed(args, first))
    if (kind === 'drag') {
      args['from'] = placed(args['from'], first)
      args['to'] = placed(args['to'], second)
    }
    const { text } = args
    if (typeof text === 'string' && text.includes('[secret:')) {
      const name = /^\[secret:([\w.-]+)\]$/.exec(text)?.[1]
      if (name === undefined)
        throw new DeskhandError('BAD_ARGS', `entry ${decided.seq} typed a secret amid other text, which was not kept`, {
          next: 'Go on after it with --from.',
        })
      delete args['text']
      return { args: { ...args, secret: name } }
    }
    if (isHidden(args['verify'])) delete args['verify']
    const lost = Object.keys(args).find((name) => name !== 'text' && isHidden(args[name]))
    if (lost !== undefined)
      throw new DeskhandError('BAD_ARGS', `the ${lost} of entry ${decided.seq} were not kept`, { next: 'Go on after it with --from.' })
    if (typeof text !== 'object') return { args }
    delete args['text']
    return { args, hidden: Number(record(text)['length'] ?? 0) }
  }

  /** Every element id becomes a selector for what it stood for. */
  #retarget(value: unknown, op: string, seq: number): unknown {
    if (Array.isArray(value)) return value.map((v) => this.#retarget(v, op, seq))
    if (typeof value !== 'object' || value === null) return value
    if ('elementId' in value && typeof value.elementId === 'string') return { selector: this.#selector(value.elementId, op, seq) }
    const [path, id = '', rest = ''] = ('selector' in value && /^(e\d+)(\s*>>.*)$/s.exec(String(value.selector))) || []
    if (path !== undefined) return { selector: this.#selector(id, op, seq) + rest }
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, this.#retarget(v, op, seq)]))
  }

  #selector(elementId: string, op: string, seq: number): string {
    const facts = this.#known.get(`${life(op)} ${elementId}`)
    if (facts !== undefined) return selectorFor(facts)
    throw new DeskhandError('BAD_ARGS', `entry ${seq} names ${elementId}, of which the journal has no description`, {
      next: 'Go on after it with --from.',
    })
  }
}

/** What a recorded element was, in words that find it again: role, name and window; the nearest named parent where it has no name. */
export function selectorFor({ role, name, window, path }: TargetFacts): string {
  const within = window?.title === undefined ? '' : ` && window=${quote(window.title)}`
  if (name !== undefined) return `role=${role} && name=${quote(name)}${within}`
  const parent = path.at(-1)
  const scope = parent === undefined || parent === window?.title ? '' : `name=${quote(parent)}${within} >> `
  return `${scope}role=${role}${scope === '' ? within : ''}`
}

/** Operations of one session begin alike. */
const life = (op: string): string => op.slice(0, 12)

/** Pixels of a picture that is long gone become the pixels of the desktop they meant. */
function placed(place: unknown, facts: TargetFacts | undefined): unknown {
  if (
    typeof place !== 'object' ||
    place === null ||
    !('coordinateSpace' in place) ||
    place.coordinateSpace !== 'image' ||
    facts?.at === undefined
  )
    return place
  const { imageId: _, ...rest } = record(place)
  return { ...rest, x: facts.at.x, y: facts.at.y, coordinateSpace: 'desktop', imageId: undefined }
}

/** Whether a kind of input waits for its target when it is told for how long. */
const isPatient = (kind: ActionKind): boolean => TRAITS[kind].sends && 'timeoutMs' in ACTIONS[kind].shape

const isHidden = (value: unknown): boolean => record(value)['redacted'] === true
const record = (value: unknown): Record<string, unknown> => (typeof value === 'object' && value !== null ? { ...value } : {})

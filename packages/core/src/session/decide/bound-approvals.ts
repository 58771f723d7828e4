import { DeskhandError } from '../../errors.ts'
import type { Approval, FlatNode, Principal, SeenFact } from '../../model/index.ts'
import type { LiveTree } from '../see/live-tree.ts'
import type { Resolved } from '../see/targets.ts'
import { BoundPictures } from './bound-pictures.ts'
import type { Restless } from './restless.ts'
import { destinationOf, differences, factOf, isTitle, surroundingsOf, type Surroundings } from './surroundings.ts'

/** What a question shows of the surroundings of its target. */
export interface Shown {
  around: SeenFact[]
  leftOut: string[]
  changed: string[]
}

interface Bound {
  op: string
  who: string
  tool: string
  key: string
  /** All that the call names or points at, with the first. */
  keys: readonly string[]
  windows: ReadonlySet<string | undefined>
  before: Surroundings
  leftOut: ReadonlySet<string>
  /** What it would paste; null where that cannot be read. */
  copied?: string | null
  /** It may paste what is selected somewhere, and nothing tells what that is. */
  pastesSelection?: boolean
  /** Another call sent input into that window. */
  isDisturbed: boolean
  /** A step of a plan: `settles` are the elements that steps before it set, undefined where none of them is in its window. */
  planned?: { settles?: ReadonlySet<string> }
}

/** A step of a plan that a person agrees to, and what the steps before it touch. */
export interface AgreedStep {
  n: number
  tool: string
  targets: readonly Resolved[]
  before: readonly Resolved[]
  /** It enters what is on the clipboard when the person is asked: no step before it puts anything there. */
  pastes: boolean
}

/** How long a question is watched for between two looks when nothing is told. */
const LOOK_MS = 2_000
const MOST_SHOWN = 30
const MOST_PASTED = 2_000
const CLIPBOARD_MS = 1_000
const MOST_ASKED = 32
const MOST_REMEMBERED = 100

/**
 * Binds approvals to what the person saw: the surroundings of the target when they were asked. Input by another call in that window, or a
 * change there that did not happen by itself before, voids them; when the same is asked again, the person is shown what changed.
 */
export class BoundApprovals {
  readonly pictures = new BoundPictures()
  readonly #tree: LiveTree
  readonly #restless: Restless
  readonly #now: () => number
  readonly #clipboard: (signal: AbortSignal) => Promise<string>
  readonly #bound = new Map<string, Bound>()
  /** What the person saw who was asked the same before, when that became void. */
  readonly #before = new Map<string, Surroundings>()

  constructor(tree: LiveTree, restless: Restless, now: () => number, clipboard: (signal: AbortSignal) => Promise<string>) {
    this.#clipboard = clipboard
    this.#now = now
    this.#tree = tree
    this.#restless = restless
  }

  /** What stands around the target of a call now; undefined where that is no element. */
  look({ op, tool, principal }: { op: string; tool: string; principal: Principal }, targets: readonly Resolved[]): Bound | undefined {
    const own = targets.filter(({ facts }) => facts.reached === undefined)
    const [first] = own
    if (first?.node === undefined) return undefined
    const nodes = own.flatMap(({ node }) => node ?? [])
    const before = surroundingsOf(nodes)
    const leftOut = new Set([...before].flatMap(([key, fact]) => (fact.isText && this.#restless.isRestless(key) ? [key] : [])))
    const windows = new Set(own.map(({ facts }) => facts.window?.key))
    const [key, keys] = [first.node.key, nodes.map((node) => node.key)]
    return { op, who: principal.id, tool, key, keys, windows, before, leftOut, isDisturbed: false }
  }

  /** Takes in how things are when a person is asked about a plan; the answer is bound to that under `id` and the number of each step. */
  async lookAhead({ op, principal }: { op: string; principal: Principal }, steps: readonly AgreedStep[]): Promise<(id: string) => void> {
    const copied = steps.some((step) => step.pastes) ? await this.clipboardText() : undefined
    const bounds = steps.flatMap(({ n, tool, targets, before, pastes }): [number, Bound][] => {
      const bound = this.look({ op, tool, principal }, targets)
      if (bound === undefined) return []
      const inWindow = before.filter((t) => bound.windows.has(t.facts.window?.key))
      const settles = inWindow.length === 0 ? undefined : new Set(inWindow.flatMap((t) => t.facts.key ?? []))
      return [[n, { ...bound, copied: pastes ? copied : undefined, planned: { settles } }]]
    })
    return (id) => {
      for (const [key, { planned, who }] of this.#bound) if (planned !== undefined && who === principal.id) this.#bound.delete(key)
      for (const [n, bound] of bounds) this.#bound.set(`${id}.${n}`, bound)
    }
  }

  /** The same as a person is shown it, with what changed since the same was asked before. */
  shown(bound: Bound | undefined): Shown {
    if (bound === undefined) return { around: [], leftOut: [], changed: [] }
    const { before, leftOut, copied, pastesSelection = false } = bound
    const earlier = this.#before.get(sameOf(bound))
    const facts = [...before].filter(([key]) => !leftOut.has(key)).map(([, { label, value, isText }]) => ({ label, value, isText }))
    const selected = copied === undefined ? 'pastes what is selected' : 'or pastes what is selected'
    const pasted = [
      ...(copied === undefined
        ? []
        : [{ label: 'on the clipboard', value: copied?.slice(0, MOST_PASTED) ?? 'not readable', isText: false }]),
      ...(pastesSelection ? [{ label: selected, value: 'nothing tells what that is', isText: false }] : []),
    ]
    const around = [...pasted, ...facts.filter((f) => !f.isText), ...facts.filter((f) => f.isText)].slice(0, MOST_SHOWN)
    return {
      around: around.map(({ label, value }) => ({ label, value })),
      leftOut: [...leftOut].map((key) => `${before.get(key)?.label ?? ''} ${JSON.stringify(before.get(key)?.value ?? '')}`),
      changed: earlier === undefined ? [] : differences(earlier, before, leftOut).slice(0, MOST_SHOWN),
    }
  }

  /** Watches while the question waits; `voided` hears why it is void. Ends with the signal. */
  async watch({ id }: Approval, bound: Bound, voided: (error: DeskhandError) => void, signal: AbortSignal): Promise<void> {
    this.#bound.set(id, bound)
    while (!signal.aborted) {
      const problem = this.problem(id)
      if (problem !== undefined) return voided(problem)
      await this.#tree.changed(LOOK_MS, signal)
    }
  }

  mustBeInTime({ id, expiresAt }: Approval): void {
    if (this.#now() >= Date.parse(expiresAt))
      throw new DeskhandError('APPROVAL_EXPIRED', `${id} was allowed, but could not be used in time`)
  }

  /** What is on the clipboard; null where that may not or cannot be read. */
  clipboardText(): Promise<string | null> {
    return this.#clipboard(AbortSignal.timeout(CLIPBOARD_MS)).catch(() => null)
  }

  /** What a call pastes must be what the person was shown. */
  async mustPasteThat({ id }: Approval): Promise<void> {
    const copied = this.#bound.get(id)?.copied
    if (copied !== undefined && copied !== (await this.clipboardText())) throw voidOf('something else is on the clipboard by now')
  }

  /** The elements with values that an answer is bound to: some toolkits do not tell when they change. */
  values(id: string): string[] {
    const { before = new Map(), planned, key: target } = this.#bound.get(id) ?? {}
    const counts = (key: string): boolean => planned?.settles?.has(key) !== true && this.#tree.node(key) !== undefined
    const linked = target !== undefined && before.has('destination') ? [target] : []
    const fields = [...before].flatMap(([key, { isText }]) => (isText || linked.includes(key) || !counts(key) ? [] : [key]))
    return [...linked, ...fields].slice(0, MOST_ASKED)
  }

  /** Why what was approved is not what the person saw any more; `fresh` are its `values` as the application has them. */
  problem(id: string, fresh: readonly (FlatNode | undefined)[] = []): DeskhandError | undefined {
    const bound = this.#bound.get(id)
    if (bound === undefined) return undefined
    const now = new Map(fresh.flatMap((node) => (node === undefined ? [] : [[node.key, factOf(node)] as const])))
    const stale = [...now].filter(([key, fact]) => fact !== undefined && fact.value !== bound.before.get(key)?.value)
    const led = bound.before.get('destination')
    const target = fresh.find((node) => node?.key === bound.key)
    const leads = target === undefined ? led?.value : destinationOf({ ...target, parent: this.#tree.node(bound.key)?.parent })
    if (leads !== led?.value) stale.push(['destination', { label: led?.label ?? 'leads to', value: leads ?? '', isText: false }])
    const found = [...this.#differences(bound), ...stale.map(([, fact]) => `${fact?.label} is ${JSON.stringify(fact?.value)} now`)]
    if (found.length > 0 || bound.isDisturbed) this.#remember(bound)
    if (bound.isDisturbed) return voidOf(DISTURBED)
    if (found.length === 0) return undefined
    return voidOf(`${found.length === 1 ? 'something' : `${found.length} things`} in that window changed while it waited`)
  }

  /** A call is about to send input to these targets: what other calls asked about their windows is not what was seen any more. Steps of a plan are not among its own. */
  disturb(
    { op, principal }: { op: string; principal: Principal },
    targets: readonly Resolved[],
    voided: (id: string, error: DeskhandError) => void,
  ): void {
    const windows = targets.map(({ facts }) => facts.window?.key)
    for (const [id, bound] of this.#bound) {
      const isOwn = bound.planned === undefined ? bound.op === op : bound.who === principal.id
      if (isOwn || !windows.some((window) => window === undefined || bound.windows.has(window))) continue
      bound.isDisturbed = true
      this.#remember(bound)
      voided(id, voidOf(DISTURBED))
    }
    this.#restless.touched()
  }

  forget(id: string): void {
    this.#bound.delete(id)
    this.pictures.forget(id)
  }

  #differences({ keys, before, leftOut, planned }: Bound): string[] {
    const nodes = keys.flatMap((key) => this.#tree.node(key) ?? [])
    if (nodes.length < keys.length) return ['the element is gone']
    const now = surroundingsOf(nodes)
    if (planned?.settles === undefined) return differences(before, now, leftOut)
    // What the plan itself entered may change texts and the title; what stands in other fields it leaves alone.
    const kept = [...before].filter(([k, { isText }]) => !isText && !isTitle(k) && planned.settles?.has(k) !== true && now.has(k))
    return differences(new Map(kept), new Map(kept.flatMap(([k]) => (now.has(k) ? [[k, now.get(k)!] as const] : []))), leftOut)
  }

  #remember(bound: Bound): void {
    this.#before.set(sameOf(bound), bound.before)
    const [oldest] = this.#before.keys()
    if (this.#before.size > MOST_REMEMBERED && oldest !== undefined) this.#before.delete(oldest)
  }
}

/** The same question, when it is asked again. */
const sameOf = ({ who, tool, key }: Bound): string => `${who} ${tool} ${key}`

const DISTURBED = 'there was other input in that window since it was asked'

const voidOf = (why: string): DeskhandError =>
  new DeskhandError('TARGET_CHANGED', `the question is void: ${why}`, {
    next: 'Take a new snapshot; if it is still wanted, call again, and the person is shown what changed.',
  })

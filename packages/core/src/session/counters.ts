import { TIME_BOUNDS, type CallOrigin, type Counts, type PathStep, type Result, type TargetFacts } from '../model/index.ts'

/** What is known of a call beside what it is about. */
interface Counted {
  tool: string
  kind: string
  trace?: CallOrigin
}

/** A call that has ended, without anything that it was about. */
export interface CallTrace {
  tool: string
  kind: string
  origin?: CallOrigin
  /** When it began, in milliseconds since 1970, and how long it took. */
  startedAt: number
  ms: number
  steps: readonly { step: PathStep; fromMs: number; ms: number }[]
  status: Result['status']
  code?: string
  verdict?: string
  risk?: string
}

interface Gauges {
  treeNodes(): number
  hungApps(): number
}

/** Counts what happens on the one path of every call: an increment here, a clock there, and nothing of what a call is about. */
export class Counters {
  readonly #gauges: Gauges
  readonly #counts = new Map<string, Map<string, number>>()
  readonly #times = new Map<PathStep, Times>()
  /** Hears of every call that has ended. */
  onCall?: (trace: CallTrace) => void

  constructor(gauges: Gauges) {
    this.#gauges = gauges
  }

  begin(call: Counted): Timing {
    return new Timing(this, call)
  }

  /** One more under this name; `labels` are words of ours, in the order of `LABELS`. */
  count(name: keyof typeof LABELS, ...labels: string[]): void {
    const key = labels.join('\n')
    let family = this.#counts.get(name)
    if (family === undefined) this.#counts.set(name, (family = new Map()))
    family.set(key, (family.get(key) ?? 0) + 1)
  }

  took(step: PathStep, ms: number): void {
    let times = this.#times.get(step)
    if (times === undefined) this.#times.set(step, (times = new Times()))
    times.add(ms / 1000)
  }

  /** A question was asked, answered or became void. */
  approval({ state, answer }: { state: string; answer?: { allow: boolean } }): void {
    if (answer !== undefined) this.count('approvals', answer.allow ? 'allowed' : 'denied')
    else if (state === 'asked' || state === 'void') this.count('approvals', state)
  }

  read(): Counts {
    const counters = [...this.#counts].flatMap(([name, family]) =>
      [...family].map(([key, value]) => ({ name, labels: labelled(LABELS[name as keyof typeof LABELS], key.split('\n')), value })),
    )
    const gauges = [
      { name: 'tree_nodes', value: this.#gauges.treeNodes() },
      { name: 'hung_applications', value: this.#gauges.hungApps() },
    ]
    return {
      counters,
      gauges,
      times: [...this.#times].map(([step, { classes, count, sum }]) => ({ step, classes: [...classes], count, sum })),
    }
  }
}

/** What is counted, and by which words. */
const LABELS = {
  calls: ['kind', 'status'],
  errors: ['code'],
  decisions: ['verdict'],
  approvals: ['outcome'],
  targets: ['source'],
} as const satisfies Record<string, readonly string[]>

/** The clock of one call. */
export class Timing {
  readonly #counters: Counters
  readonly #call: Counted
  readonly #start = performance.now()
  #last = this.#start
  readonly #steps: { step: PathStep; fromMs: number; ms: number }[] = []

  constructor(counters: Counters, call: Counted) {
    this.#counters = counters
    this.#call = call
  }

  /** This step has just ended; it began when the one before did. */
  mark(step: PathStep): void {
    const now = performance.now()
    const ms = now - this.#last
    this.#counters.took(step, ms)
    if (this.#counters.onCall !== undefined) this.#steps.push({ step, fromMs: this.#last - this.#start, ms })
    this.#last = now
  }

  /** How what it touches was found: structure, or only pixels. */
  found(facts: TargetFacts | undefined): void {
    if (facts !== undefined) this.#counters.count('targets', facts.source)
  }

  end({ status, error, decision, risk }: Result): void {
    const { tool, kind, trace: origin } = this.#call
    const ms = performance.now() - this.#start
    this.#counters.took('call', ms)
    this.#counters.count('calls', kind, status)
    if (decision !== undefined) this.#counters.count('decisions', decision.verdict)
    if (error !== undefined) this.#counters.count('errors', error.code)
    const { code } = error ?? {}
    const { verdict } = decision ?? {}
    this.#counters.onCall?.({
      tool,
      kind,
      origin,
      startedAt: Date.now() - ms,
      ms,
      steps: this.#steps,
      status,
      code,
      verdict,
      risk: risk?.level,
    })
  }
}

class Times {
  readonly classes: number[] = Array.from({ length: TIME_BOUNDS.length + 1 }, () => 0)
  count = 0
  sum = 0

  add(seconds: number): void {
    let at = 0
    while (at < TIME_BOUNDS.length && seconds > (TIME_BOUNDS[at] ?? 0)) at++
    this.classes[at] = (this.classes[at] ?? 0) + 1
    this.count++
    this.sum += seconds
  }
}

const labelled = (names: readonly string[], values: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name, i) => [name, values[i] ?? '']))

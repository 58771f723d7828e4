import type { ActionKind, Obligations, Verdict } from '../model/index.ts'
import type { Call } from './call.ts'
import { PREFILTER_FIELDS, prefilterOf, prefilterText } from './prefilter.ts'
import { compileRule, missed, toolNames, type CompiledRule } from './match.ts'
import type { LoadedRule, Settings, Tier } from './rule.ts'

/** The rules, strongest first, and for each tool the ones that can concern it. */
export class RuleSet {
  readonly settings: Settings
  readonly #rules: readonly CompiledRule[]
  readonly #byTool = new Map<string, ToolRules>()
  readonly #distinct = new WeakMap<readonly ActionKind[], readonly ActionKind[]>()

  constructor(rules: readonly LoadedRule[], settings: Settings) {
    this.#rules = rules
      .map(compileRule)
      .filter((r) => serves(r, settings))
      .toSorted(stronger)
    this.settings = settings
  }

  get rules(): readonly LoadedRule[] {
    return this.#rules
  }

  for(tool: string, kind: ActionKind): ToolRules {
    const key = `${kind} ${tool}`
    const known = this.#byTool.get(key)
    if (known) return known
    const names = toolNames(tool, kind, this.settings.mcpNames)
    const rules = this.#rules.filter((r) => r.tools.some((test) => names.some(test)))
    const prefilters = rules.map((r) => prefilterOf(r.spec))
    const made = {
      rules,
      prefilterFields: Uint8Array.from(prefilters, (c) => (c ? PREFILTER_FIELDS.indexOf(c.field) : NO_PREFILTER)),
      prefilters: prefilters.map((c) => c?.literal ?? ''),
      all: new Set(rules),
      lastExtra: rules.findLastIndex((r) => r.spec.obligations !== undefined || r.spec.rateLimit !== undefined),
    }
    if (this.#byTool.size < MOST_TOOLS) this.#byTool.set(key, made)
    return made
  }

  /** One kind for each different list of rules among these: kinds under the same rules get the same answer about one target. */
  distinct(kinds: readonly ActionKind[]): readonly ActionKind[] {
    const known = this.#distinct.get(kinds)
    if (known) return known
    const lists = kinds.map((kind) => this.for(`ui.${kind}`, kind).rules)
    const isSame = (a: readonly CompiledRule[] = [], b: readonly CompiledRule[] = []): boolean =>
      a.length === b.length && a.every((rule, i) => rule === b[i])
    const found = kinds.filter((_, i) => lists.findIndex((list) => isSame(list, lists[i])) === i)
    this.#distinct.set(kinds, found)
    return found
  }

  /**
   * Finds in one pass the winner, the strongest rule that names the risk, and for each obligation and limit the strongest that states it.
   * Obligations and limits of rules in `heard` are left out.
   */
  consult(
    call: Call,
    heard?: ToolRules,
  ): { winner: CompiledRule; byRisk?: CompiledRule; obligations: Obligations; limits: CompiledRule[] } {
    const { rules, prefilters, prefilterFields, lastExtra } = this.for(call.subject.tool, call.subject.kind)
    const texts: (string | null)[] = []
    let winner: CompiledRule | undefined
    let byRisk: CompiledRule | undefined
    let obligations: Obligations = {}
    const limits: CompiledRule[] = []
    for (let i = 0; i < rules.length && !(winner && byRisk && i > lastExtra); i++) {
      const field = prefilterFields[i] ?? NO_PREFILTER
      if (field !== NO_PREFILTER) {
        let text = texts[field]
        if (text === undefined) texts[field] = text = prefilterText(call, PREFILTER_FIELDS[field] ?? 'args') ?? null
        if (text !== null && !text.includes(prefilters[i] ?? '')) continue
      }
      const rule = rules[i]
      if (!rule || missed(rule, call) !== undefined) continue
      winner ??= rule
      if (call.level !== undefined && rule.risks?.has(call.level)) byRisk ??= rule
      if (heard?.all.has(rule)) continue
      if (rule.spec.obligations) obligations = { ...rule.spec.obligations, ...obligations }
      const { rateLimit } = rule.spec
      if (rateLimit && !limits.some((l) => isSameLimit(l.spec.rateLimit, rateLimit))) limits.push(rule)
    }
    return { winner: winner ?? NO_RULE, byRisk, obligations, limits }
  }
}

export interface ToolRules {
  rules: readonly CompiledRule[]
  all: ReadonlySet<LoadedRule>
  /** The prefilter of each rule and its field, in parallel arrays, as most rules need nothing else. */
  prefilters: readonly string[]
  prefilterFields: Uint8Array
  /** Behind this place no rule adds an obligation or a limit. */
  lastExtra: number
}

type RateLimit = LoadedRule['spec']['rateLimit']
/** Counts the same calls, so the stronger rule states how many. */
const isSameLimit = (a: RateLimit, b: RateLimit): boolean => a?.per === b?.per && a?.shared === b?.shared

const MOST_TOOLS = 500
const NO_PREFILTER = 255

/** Decides where no rule matches: a person is asked. */
export const NO_RULE = compileRule({
  spec: { toolName: '*', decision: 'ask_user', priority: 0, name: 'no rule' },
  source: { file: 'built-in', line: 0, tier: 'builtin', name: 'no rule' },
})

/** The one with the stricter verdict; the first of two equals. */
export function stricter(a: CompiledRule, b: CompiledRule): CompiledRule {
  return STRICTNESS[b.spec.decision] > STRICTNESS[a.spec.decision] ? b : a
}

const TIERS: Readonly<Record<Tier, number>> = { builtin: 0, user: 1, admin: 2 }
const STRICTNESS: Readonly<Record<Verdict, number>> = { allow: 0, ask_user: 1, deny: 2 }

/** Tier, then priority, then the stricter; what is left decides nothing but must not depend on the order of loading. */
function stronger(a: LoadedRule, b: LoadedRule): number {
  return (
    TIERS[b.source.tier] - TIERS[a.source.tier] ||
    b.spec.priority - a.spec.priority ||
    STRICTNESS[b.spec.decision] - STRICTNESS[a.spec.decision] ||
    compare(a.source.file, b.source.file) ||
    a.source.line - b.source.line
  )
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** A rule for another MCP server says nothing about this one. */
function serves(rule: LoadedRule, settings: Settings): boolean {
  const { mcpName } = rule.spec
  return mcpName === undefined || mcpName === '*' || settings.mcpNames.includes(mcpName)
}

import { argument, TRAITS, WINDOWS, type RiskLevel, type TargetFacts } from '../model/index.ts'
import { argsText, type ArgsText } from './args.ts'
import { textOf } from './entered.ts'
import { spell, type Spelling } from './fold.ts'
import { appNames, isWeb, type AppNames } from './identity.ts'
import { isRewritten } from './meaning.ts'
import type { Setting, Subject } from './policy.ts'
import { addressOf, type Address } from './url.ts'

/** One question to the rules, with what several of them need worked out once. */
export class Call {
  readonly subject: Subject
  readonly setting: Setting
  readonly level: RiskLevel | undefined
  readonly targets: readonly SeenTarget[]
  #args: ArgsText | null | undefined
  #text: Spelling | undefined

  constructor(subject: Subject, setting: Setting, level: RiskLevel | undefined) {
    this.subject = subject
    this.setting = setting
    this.level = level
    this.targets = subject.targets.map((t) => new SeenTarget(t, setting, !TRAITS[subject.kind].reads))
  }

  /** It acts on something, and nothing is known of it. */
  get touchesUnknown(): boolean {
    const { kind, targets } = this.subject
    const { reads, targets: how } = TRAITS[kind]
    return targets.length === 0 && !reads && how !== 'none' && kind !== 'hover' && !onlyMoves(this.subject)
  }

  get args(): ArgsText | undefined {
    if (this.#args === undefined) this.#args = argsText(this.subject.args) ?? null
    return this.#args ?? undefined
  }

  /** The text it would enter, as far as it is known. */
  get text(): Spelling {
    return (this.#text ??= spell(textOf(this.subject)))
  }

  /** Whether it enters a text that nothing tells. */
  get entersUnknown(): boolean {
    const { pasted } = this.subject
    return (pasted !== undefined && pasted.text === undefined) || isRewritten(this.subject)
  }
}

/** A target with its texts in the forms that rules compare, as far as a rule asks for them. */
export class SeenTarget {
  readonly facts: TargetFacts
  readonly app: AppNames
  readonly role: string
  /** Rules about looking are for applications, windows and pages, and what has no title is not hidden by one. */
  readonly isActedOn: boolean
  #name: Spelling | undefined
  #says: readonly Spelling[] | undefined
  #window: Spelling | undefined
  #url: Address | null | undefined
  #around: readonly Address[] | undefined

  constructor(facts: TargetFacts, setting: Setting, isActedOn: boolean) {
    this.facts = facts
    this.isActedOn = isActedOn
    this.app = appNames(facts.app, setting.desktop)
    this.role = facts.role.toLowerCase()
  }

  get name(): Spelling {
    return (this.#name ??= spell(this.facts.name ?? ''))
  }

  /** Its name, and what else a person reads on it. */
  get says(): readonly Spelling[] {
    return (this.#says ??= [this.name, ...(this.facts.says ?? []).map(spell)].filter((text) => text.folded !== ''))
  }

  get window(): Spelling {
    return (this.#window ??= spell(this.facts.window?.title ?? ''))
  }

  /** An address that is not told may be any: of a page that keeps it to itself, of a browser as a whole, of an unknown program. */
  get mayHaveUrl(): boolean {
    const { url, app, role, key, source } = this.facts
    if (url !== undefined) return true
    if (!this.isActedOn) return false
    return app === undefined || (isWeb(app) && (key === undefined || source !== 'structure' || WINDOWS.has(role)))
  }

  get url(): Address | undefined {
    if (this.#url === undefined) this.#url = (this.facts.url === undefined ? undefined : addressOf(this.facts.url)) ?? null
    return this.#url ?? undefined
  }

  /** The pages that its own page is a frame of. */
  get urlsAround(): readonly Address[] {
    return (this.#around ??= (this.facts.pages ?? []).flatMap((url) => addressOf(url) ?? []))
  }
}

/** The pointer moves and presses nothing: there is nothing that it touches. */
export function onlyMoves({ kind, args }: Subject): boolean {
  const events = kind === 'pointer' ? argument(args, 'events') : undefined
  return Array.isArray(events) && events.every((e: unknown) => argument(e, 'type') === 'move' || argument(e, 'type') === 'pause')
}

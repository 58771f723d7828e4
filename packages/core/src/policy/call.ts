import { enteredText, type RiskLevel, type TargetFacts } from '../model/index.ts'
import { argsText, type ArgsText } from './args.ts'
import { appNames, type AppNames } from './identity.ts'
import type { Setting, Subject } from './policy.ts'
import { urlParts, type UrlParts } from './url.ts'

/** One question to the rules, with what several of them need worked out once. */
export class Call {
  readonly subject: Subject
  readonly setting: Setting
  readonly level: RiskLevel | undefined
  readonly targets: readonly SeenTarget[]
  #args: ArgsText | null | undefined
  #text: string | undefined

  constructor(subject: Subject, setting: Setting, level: RiskLevel | undefined) {
    this.subject = subject
    this.setting = setting
    this.level = level
    this.targets = subject.targets.map((t) => new SeenTarget(t, setting))
  }

  get args(): ArgsText | undefined {
    if (this.#args === undefined) this.#args = argsText(this.subject.args) ?? null
    return this.#args ?? undefined
  }

  /** The text it would enter, folded. */
  get text(): string {
    return (this.#text ??= fold(enteredText(this.subject.kind, this.subject.args)))
  }
}

/** A target with its texts folded for comparing, as far as a rule asks for them. */
export class SeenTarget {
  readonly facts: TargetFacts
  readonly app: AppNames
  readonly role: string
  #name: string | undefined
  #says: readonly string[] | undefined
  #window: string | undefined
  #url: UrlParts | null | undefined

  constructor(facts: TargetFacts, setting: Setting) {
    this.facts = facts
    this.app = appNames(facts.app, setting.desktop)
    this.role = facts.role.toLowerCase()
  }

  get name(): string {
    return (this.#name ??= fold(this.facts.name ?? ''))
  }

  get says(): readonly string[] {
    return (this.#says ??= (this.facts.says ?? []).map(fold))
  }

  get window(): string {
    return (this.#window ??= fold(this.facts.window?.title ?? ''))
  }

  get url(): UrlParts | undefined {
    if (this.#url === undefined) this.#url = (this.facts.url === undefined ? undefined : urlParts(this.facts.url)) ?? null
    return this.#url ?? undefined
  }
}

/** Case and compatibility forms do not matter in free text. */
export const fold = (text: string): string => text.normalize('NFKC').toLowerCase()

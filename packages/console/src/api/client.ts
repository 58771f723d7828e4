import type {
  Approval,
  Check,
  DesktopInfo,
  Explanation,
  Grant,
  InputGrant,
  JournalEntry,
  PolicyInForce,
  PolicyTrial,
  Rect,
  RuleUse,
  Principal,
  Result,
  SavedRules,
  SettingsInForce,
  TokenHolder,
} from '@deskhand/core/model'

export interface Session {
  who: Principal
  version: string
}

export interface NamedDesktop extends DesktopInfo {
  name: string
}

/** A refusal by the server, with the next step that helps. */
export class ApiError extends Error {
  readonly code: string
  readonly next: string
  readonly status: number
  /** The whole record of a call that failed. */
  readonly result?: Result

  constructor(status: number, problem: { code?: string; detail?: string; next?: string; result?: Result }) {
    super(problem.detail ?? `the server answered ${status}`)
    this.status = status
    this.code = problem.code ?? 'INTERNAL'
    this.next = problem.next ?? ''
    if (problem.result !== undefined) this.result = problem.result
  }

  /** What happened, and what helps. */
  get words(): string {
    return this.next === '' ? this.message : `${this.message.replace(/[^.!?]$/, '$&.')} ${this.next}`
  }
}

/** Where a call came from: what an answer records as its surface. */
const SURFACE = 'console'

/** What only this origin has, beside the cookie that a browser sends to every port of the host: it makes an operator of the reader. */
const word = (): string => localStorage.getItem('deskhand.word') ?? ''
const WORD = 'x-deskhand-csrf'

/** The server's API, as far as the console uses it. */
export class Api {
  readonly session: Session

  constructor(session: Session) {
    this.session = session
  }

  /** The API for the operator or viewer whose cookie this browser has; undefined without one. */
  static async signIn(): Promise<Api | undefined> {
    const answer = await fetch('/api/v1/session', { headers: { [WORD]: word() } })
    if (answer.status === 401) return undefined
    return new Api(await read<Session>(answer))
  }

  get mayOperate(): boolean {
    return this.session.who.role === 'operator'
  }

  /** Those that answer; one that ends just now or hangs has an error instead. */
  desktops = async (): Promise<NamedDesktop[]> => {
    const found = await this.#ask<(NamedDesktop | { name: string; error: object })[]>('GET', '/desktops')
    return found.filter((desktop): desktop is NamedDesktop => !('error' in desktop))
  }
  bringUp = (desktop: { name: string; kind: string; preset?: string }): Promise<NamedDesktop> => this.#ask('POST', '/desktops', desktop)

  tools = (): Promise<{ name: string }[]> => this.#ask('GET', '/tools')

  on(name: string): DesktopApi {
    return new DesktopApi(name, (verb, path, body) => this.#ask(verb, path, body))
  }

  async #ask<T>(verb: string, path: string, body?: unknown): Promise<T> {
    const headers: Record<string, string> = { [WORD]: word() }
    if (body !== undefined) headers['content-type'] = 'application/json'
    return read<T>(await fetch(`/api/v1${path}`, { method: verb, headers, body: body === undefined ? null : JSON.stringify(body) }))
  }
}

type Ask = <T>(verb: string, path: string, body?: unknown) => Promise<T>

export interface JournalQuery {
  after?: number
  before?: number
  limit?: number
  newest?: boolean
  text?: string
  types?: string
  op?: string
  agent?: string
  tool?: string
  app?: string
  verdict?: string
  risk?: string
  effect?: string
  /** Whole calls, newest first; `limit` counts them, and `before` is about their decisions. */
  calls?: boolean
}

export interface Answering {
  allow: boolean
  scope?: 'once' | 'session' | 'app'
  reason?: string
  text?: string
}

export class DesktopApi {
  readonly name: string
  readonly #ask: Ask
  readonly #base: string

  constructor(name: string, ask: Ask) {
    this.name = name
    this.#ask = ask
    this.#base = `/desktops/${encodeURIComponent(name)}`
  }

  /** A picture that was kept as evidence. */
  evidence = async (id: string): Promise<Blob> => {
    const answer = await fetch(this.address(`/journal/evidence/${encodeURIComponent(id)}`), { headers: { [WORD]: word() } })
    return answer.ok ? answer.blob() : read(answer)
  }
  /** What the socket of the picture offers beside its own protocol, so that input counts. */
  pictureProtocols = (): readonly string[] => (word() === '' ? [] : [`deskhand.word.${word()}`])

  /** An address of this desktop below the server's root, for pictures and feeds. */
  address = (path: string): string => `/api/v1${this.#base}${path}`

  info = (): Promise<DesktopInfo> => this.#ask('GET', this.#base)
  down = (): Promise<void> => this.#ask('DELETE', this.#base)
  control = (what: 'stop' | 'pause' | 'resume'): Promise<void> => this.#ask('POST', `${this.#base}/${what}`)
  takeOver = (): Promise<void> => this.#ask('POST', `${this.#base}/takeover`)
  handBack = (): Promise<void> => this.#ask('POST', `${this.#base}/takeover/end`)
  mode = (mode: string, grants: readonly InputGrant[] = []): Promise<void> => this.#ask('POST', `${this.#base}/mode`, { mode, grants })

  /** What of the picture is black because it must not be seen. */
  masked = async (): Promise<readonly Rect[]> => (await this.#ask<{ masked: Rect[] }>('GET', `${this.#base}/picture/status`)).masked

  call = (tool: string, args: unknown, options: { dryRun?: boolean; waitMs?: number } = {}): Promise<Result> =>
    this.#ask('POST', `${this.#base}/tools/${tool}`, { args, ...options })

  approvals = (): Promise<Approval[]> => this.#ask('GET', `${this.#base}/approvals`)
  shown = (id: string): Promise<Approval> => this.#ask('POST', `${this.#base}/approvals/${id}/shown`)
  answer = (id: string, answer: Answering): Promise<Approval> =>
    this.#ask('POST', `${this.#base}/approvals/${id}/answer`, { ...answer, surface: SURFACE })

  grants = (): Promise<Grant[]> => this.#ask('GET', `${this.#base}/grants`)
  revoke = (id: string): Promise<Grant> => this.#ask('DELETE', `${this.#base}/grants/${id}`)

  journal = (query: JournalQuery): Promise<JournalEntry[]> => this.#ask('GET', `${this.#base}/journal${queryOf(query)}`)
  /** Every entry of one call. */
  callOf = async (op: string): Promise<JournalEntry[]> => (await this.journal({ op, newest: true })).toReversed()
  verify = (): Promise<RecordCheck> => this.#ask('GET', `${this.#base}/journal/verification`)
  replay = (step: { seq: number; tool: string; kind: string; args: unknown; as: string; dryRun: boolean }): Promise<Result> =>
    this.#ask('POST', `${this.#base}/replay`, step)

  policy = (): Promise<PolicyInForce> => this.#ask('GET', `${this.#base}/policy`)
  ruleUses = (): Promise<RuleUse[]> => this.#ask('GET', `${this.#base}/policy/uses`)
  explain = (tool: string, args: unknown, as: string): Promise<Explanation> =>
    this.#ask('POST', `${this.#base}/policy/explanation`, { tool, args, as })
  checkPolicy = (text: string): Promise<Problem[]> => this.#ask('POST', `${this.#base}/policy/check`, { text })
  tryPolicy = (text: string, before?: number): Promise<PolicyTrial> => this.#ask('POST', `${this.#base}/policy/trial`, { text, before })
  /** A rule for calls like the one of this operation, as TOML. */
  propose = (op: string, decision: string): Promise<{ text: string }> =>
    this.#ask('POST', `${this.#base}/policy/proposal`, { op, decision })
  savedRules = (): Promise<SavedRules> => this.#ask('GET', `${this.#base}/policy/saved`)
  saveRules = (text: string, version: string): Promise<SavedRules> => this.#ask('POST', `${this.#base}/policy/saved`, { text, version })
  checkScript = (script: string, language: 'pyautogui' | 'python'): Promise<Pick<Problem, 'line' | 'message'>[]> =>
    this.#ask('POST', `${this.#base}/script/check`, { script, language })
  doctor = (): Promise<Check[]> => this.#ask('GET', `${this.#base}/doctor`)
  tokens = (): Promise<TokenHolder[]> => this.#ask('GET', `${this.#base}/tokens`)
  addToken = (id: string, role: string): Promise<{ token: string }> => this.#ask('POST', `${this.#base}/tokens`, { id, role })
  removeToken = (id: string): Promise<void> => this.#ask('DELETE', `${this.#base}/tokens/${id}`)
  settings = (): Promise<SettingsInForce> => this.#ask('GET', `${this.#base}/settings`)
  setPythonTimeout = (timeout: number): Promise<void> => this.#ask('POST', `${this.#base}/settings/python`, { timeout })
}

export interface RecordCheck {
  ok: boolean
  entries: number
  anchoredTo: number
  problems: { kind: string; seq: number; detail: string }[]
}

export interface Problem {
  line: number
  severity: 'error' | 'warning'
  message: string
}

function queryOf(query: JournalQuery): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value))
  return params.size === 0 ? '' : `?${params}`
}

async function read<T>(answer: Response): Promise<T> {
  const value: unknown = await answer.json().catch(() => ({}))
  if (!answer.ok) throw new ApiError(answer.status, value as ConstructorParameters<typeof ApiError>[1])
  return value as T
}

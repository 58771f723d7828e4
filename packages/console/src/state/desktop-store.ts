import type { Answer, Approval, DesktopEvent, DesktopInfo } from '@deskhand/core/model'
import { ApiError, type Answering, type DesktopApi, type RecordCheck } from '../api/client.ts'
import { TEXT } from '../text.ts'
import { Rows } from './steps.ts'

/** A question, and whether it can still be answered. */
export interface Question {
  approval: Approval
  state: 'open' | 'answered' | 'void' | 'expired'
  /** Who answered how, in words. */
  outcome?: string
  isAllowed?: boolean
  /** Why it was answered so, or why it can no longer be answered. */
  note?: string | undefined
  /** When it appeared or changed here: answers count only a moment later. */
  seenAt: number
  /** Whether its picture can be fetched. */
  pictured: boolean
}

export interface DesktopState {
  link: 'connecting' | 'live' | 'offline'
  /** Since when the desktop could not be read. */
  offlineSince?: number
  /** Why, where the server answered. */
  refusal?: string | undefined
  info?: DesktopInfo
  /** Whether its questions and its record were read; they can be out of reach where it answers otherwise. */
  isRead: boolean
  questions: readonly Question[]
  rows: Rows
  check?: RecordCheck
  /** The number of the newest entry of the record that is known here. */
  newest: number
  /** Grows when the tree on the desktop is another one. */
  tree: number
  /** Grows with every decision, and with what an operator does: permissions are used up, and rules change. */
  decided: number
  /** Whether this person has the controls: their pointer and keys go to the desktop, and agents wait. */
  isMine: boolean
}

const FIRST_ENTRIES = 400
/** How long an answered question stays to be read, and one that became void. */
const LINGER_MS = { answered: 4_000, void: 20_000 }
const RETRY_MS = 1_000
const SETTLE_MS = 250
const SETTLE_TRIES = 120
const CHANGES_POLICY: ReadonlySet<string> = new Set(['decided', 'answered', 'operator'])
/** Why a question is void that no operator answered in time. */
const EXPIRED: ReadonlySet<string> = new Set(['APPROVAL_EXPIRED', 'NOT_ASKED'])
const EVENTS = ['journal', 'approval', 'operation', 'control', 'mode', 'human', 'driver', 'tree', 'missed'] as const

/** Told where the server answers, and no longer as it did. */
export interface Ended {
  /** It does not know this browser any more, as after it was started again. */
  signedOut(): void
  /** It has no such desktop any more. */
  gone(): void
}

/** How a desktop stands, kept up to date by its feed of events; it reconnects by itself and catches up. */
export class DesktopStore {
  readonly api: DesktopApi
  readonly #ended: Ended
  readonly #listeners = new Set<() => void>()
  /** What this page answered, by its question: other operators may answer, too. */
  readonly #given = new Map<string, boolean>()
  #state: DesktopState = {
    link: 'connecting',
    isRead: false,
    questions: [],
    rows: new Rows(),
    newest: 0,
    tree: 0,
    decided: 0,
    isMine: false,
  }
  #feed: EventSource | undefined
  #retry: ReturnType<typeof setTimeout> | undefined
  #isOpen = false

  constructor(api: DesktopApi, ended: Ended) {
    this.api = api
    this.#ended = ended
  }

  readonly get = (): DesktopState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  open(): void {
    this.#isOpen = true
    void this.#connect()
  }

  close(): void {
    this.#isOpen = false
    this.#feed?.close()
    clearTimeout(this.#retry)
  }

  /** Reads how things stand, then listens for what comes after. */
  async #connect(): Promise<void> {
    this.#feed?.close()
    try {
      const info = await this.api.info()
      if (!this.#isOpen) return
      this.#set({ info })
      const [approvals, entries] = await Promise.all([this.api.approvals(), this.api.journal({ newest: true, limit: FIRST_ENTRIES })])
      if (!this.#isOpen) return
      const known = new Map(this.#state.questions.map((q) => [q.approval.id, q]))
      const questions = approvals.map((approval) => known.get(approval.id) ?? asked(approval))
      const newest = Math.max(0, ...entries.map(({ seq }) => seq))
      this.#set({ link: 'live', refusal: undefined, info, isRead: true, questions, rows: Rows.of(entries), newest })
      this.#listen(info.event)
      void this.check()
    } catch (thrown) {
      if (!this.#isOpen) return
      if (thrown instanceof ApiError && thrown.status === 401) return this.#ended.signedOut()
      if (thrown instanceof ApiError && thrown.status === 404) this.#ended.gone()
      this.#lost(thrown instanceof ApiError ? thrown.words : undefined)
    }
  }

  #listen(after: string): void {
    const feed = new EventSource(this.api.address(`/events?after=${encodeURIComponent(after)}`))
    this.#feed = feed
    for (const type of EVENTS) feed.addEventListener(type, (message) => this.#take(JSON.parse(message.data as string) as DesktopEvent))
    // The browser would go on after the last event by itself; reading the state anew also covers a server that was started again.
    feed.addEventListener('error', () => {
      feed.close()
      this.#lost()
    })
  }

  #lost(refusal?: string): void {
    if (!this.#isOpen) return
    this.#set({ link: 'offline', refusal, offlineSince: this.#state.offlineSince ?? Date.now() })
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.#connect(), RETRY_MS)
  }

  #take(event: DesktopEvent): void {
    const { info } = this.#state
    switch (event.type) {
      case 'journal':
        return this.#set({
          rows: this.#state.rows.with(event.seq, event.time, event.entry),
          newest: Math.max(this.#state.newest, event.seq),
          decided: this.#state.decided + Number(CHANGES_POLICY.has(event.entry.type)),
        })
      case 'approval':
        return this.#question(event)
      case 'control':
        return this.#set({ info: info && { ...info, stopped: event.stopped, paused: event.paused } })
      case 'mode':
        this.#set({ info: info && { ...info, mode: event.mode } })
        return void this.api.info().then(
          (now) => this.#set({ info: now }),
          () => {},
        )
      case 'human':
        return this.#set({ info: info && { ...info, human: event.human }, isMine: this.#state.isMine && event.human.takenBy !== undefined })
      case 'tree':
        return this.#set({ tree: event.generation })
      case 'missed':
        return void this.#connect()
      case 'driver':
      case 'operation':
        return undefined
      default:
        return event satisfies never
    }
  }

  #question({ state, approval, answer, error }: Extract<DesktopEvent, { type: 'approval' }>): void {
    const others = this.#state.questions.filter((q) => q.approval.id !== approval.id)
    const known = this.#state.questions.find((q) => q.approval.id === approval.id) ?? asked(approval)
    switch (state) {
      case 'asked':
        return this.#set({ questions: [...others, asked(approval)] })
      case 'pictured':
        return this.#replace({ ...known, approval, pictured: true })
      case 'shown':
        return this.#replace({ ...known, approval })
      case 'answered':
        return this.#end({
          ...known,
          state: 'answered',
          outcome: this.#outcome(approval, answer),
          isAllowed: answer?.allow === true,
          note: answer?.reason,
        })
      case 'void':
        return this.#end({
          ...known,
          state: EXPIRED.has(error?.code ?? '') ? 'expired' : 'void',
          note: error?.message ?? TEXT.changedMeanwhile,
        })
      default:
        return state satisfies never
    }
  }

  #outcome({ id, question }: Approval, answer: Answer | undefined): string {
    const isAllowed = answer?.allow === true
    const who = this.#given.get(id) === isAllowed ? TEXT.you : (answer?.by.id ?? '?')
    return question === undefined ? TEXT.answered(who, isAllowed) : TEXT.replied(who, isAllowed)
  }

  #replace(question: Question): void {
    this.#set({ questions: this.#state.questions.map((q) => (q.approval.id === question.approval.id ? question : q)) })
  }

  #end(question: Question): void {
    this.#replace(question)
    const gone = (): void => this.#set({ questions: this.#state.questions.filter((q) => q.approval.id !== question.approval.id) })
    setTimeout(gone, LINGER_MS[question.state === 'answered' ? 'answered' : 'void'])
  }

  async takeOver(): Promise<void> {
    await this.api.takeOver()
    this.#set({ isMine: true })
  }

  async handBack(): Promise<void> {
    this.#set({ isMine: false })
    await this.api.handBack()
  }

  async answer(id: string, given: Answering): Promise<void> {
    this.#given.set(id, given.allow)
    await this.api.answer(id, given)
  }

  /** Answers a question and waits until its call is over, so that what comes next, such as another policy, cannot make the answer void. */
  async settle({ id, op }: Approval, allow: boolean): Promise<void> {
    await this.answer(id, { allow, ...(allow ? {} : { reason: TEXT.makeRule.reason }) })
    for (let tries = SETTLE_TRIES; tries > 0; tries--) {
      const entries = await this.api.callOf(op)
      if (entries.some(({ type }) => type === 'done')) return
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
    }
  }

  /** Has the whole record checked. */
  async check(): Promise<void> {
    const check = await this.api.verify().catch(() => undefined)
    if (check !== undefined) this.#set({ check })
  }

  #set(change: Partial<DesktopState>): void {
    const { offlineSince, ...rest } = this.#state
    const isBack = change.link === 'live'
    this.#state = { ...rest, ...(isBack || offlineSince === undefined ? {} : { offlineSince }), ...change }
    for (const listener of this.#listeners) listener()
  }
}

const asked = (approval: Approval): Question => ({
  approval,
  state: 'open',
  seenAt: performance.now(),
  pictured: approval.crop !== undefined,
})

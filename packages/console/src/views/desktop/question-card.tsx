import type { Approval } from '@deskhand/core/model'
import { OctagonAlert, Shield, TriangleAlert } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { Answering } from '../../api/client.ts'
import { useAct, useConsole } from '../../parts/context.ts'
import { RiskFactors } from '../../parts/parts.tsx'
import { TimeLeft } from '../../parts/time-left.tsx'
import { fileOf } from '../../state/rules.ts'
import { toldOnce, wanted } from '../../state/sentences.ts'
import type { Question } from '../../state/desktop-store.ts'
import { go } from '../../state/route.ts'
import { TEXT } from '../../text.ts'
import { RuleMaker } from '../policy/rule-maker.tsx'
import { Answers, Reply } from './answers.tsx'
import { Crop } from './crop.tsx'
import { Plan } from './plan.tsx'

/** No key and no click counts so soon after a card appeared or moved: a hand that was on its way meant something else. */
const PAUSE_MS = 500
/** As many letters of each part of the path as a card has room for. */
const SHORT = 40

interface CardProps {
  question: Question
  /** Whether the keys of the keyboard answer this one. */
  hasKeys: boolean
  mayAnswer: boolean
}

/** What an agent wants, why it is asked, what an answer would cover, and the answers. */
export function QuestionCard({ question, hasKeys, mayAnswer }: CardProps) {
  const { store } = useConsole()
  const { approval, state, outcome, pictured } = question
  const card = useRef<HTMLElement>(null)
  const isSettled = useSettled(card)
  const [isMakingRule, setMakingRule] = useState(false)
  const [isTooSoon, setTooSoon] = useState(false)
  const act = useAct()
  const isOpen = state === 'open'
  const isReady = (): boolean => {
    const isReady = isSettled.current()
    setTooSoon(!isReady)
    return isReady
  }
  const answer = (given: Answering): void => {
    if (isOpen && mayAnswer && isReady()) act(() => store.answer(approval.id, given))
  }

  useEffect(() => {
    if (mayAnswer && approval.shownAt === undefined && isOpen) void store.api.shown(approval.id).catch(() => {})
  }, [approval.id, approval.shownAt, isOpen, mayAnswer, store])

  return (
    <article ref={card} className={`card ${approval.risk.level} ${isOpen ? '' : 'ended'}`} aria-label={titleOf(approval)}>
      <div className="band" role={isOpen ? undefined : 'status'}>
        <strong>{isOpen ? <Heading approval={approval} /> : (outcome ?? TEXT.void[state])}</strong>
        {isOpen && <Rest approval={approval} />}
      </div>
      {!isOpen && <p className="outcome">{noteOf(question)}</p>}
      <h3 title={titleOf(approval)}>{titleOf(approval)}</h3>
      <p className="path" title={pathOf(approval)}>
        <strong>{approval.principal.id}</strong> {pathOf(approval, SHORT)}
      </p>
      {pictured && isOpen && <Crop approval={approval} address={store.api.address(`/approvals/${approval.id}/picture`)} />}
      {isOpen && approval.question === undefined && <RiskFactors risk={approval.risk} />}
      {isOpen && approval.changed !== undefined && approval.changed.length > 0 && (
        <div className="banner warn">
          {TEXT.changedSince}: {approval.changed.join(', ')}
        </div>
      )}
      {isOpen && approval.steps !== undefined && <Plan steps={approval.steps} />}
      {isOpen && approval.question === undefined && <Why approval={approval} />}
      {isOpen && <Around approval={approval} />}
      {isOpen && (
        <div className="foot">
          {isTooSoon && (
            <p className="banner warn" role="alert">
              {TEXT.tooSoon}
            </p>
          )}
          {approval.question === undefined ? (
            <Answers {...{ approval, hasKeys, mayAnswer, isReady, answer }} makeRule={() => setMakingRule(true)} />
          ) : (
            <Reply asked={approval.question} {...{ mayAnswer, isReady, answer }} />
          )}
        </div>
      )}
      {isMakingRule && (
        <RuleMaker
          op={approval.op}
          initial="allow"
          aside={isOpen && <Rest approval={approval} />}
          before={isOpen ? (allowed) => store.settle(approval, allowed) : undefined}
          onClose={() => setMakingRule(false)}
        />
      )}
    </article>
  )
}

const RISK_ICONS = { low: Shield, medium: TriangleAlert, high: OctagonAlert, prohibited: OctagonAlert } as const

/** How risky it is, to be read from a distance. */
function Heading({ approval: { question, risk } }: { approval: Approval }) {
  const Icon = RISK_ICONS[risk.level]
  if (question !== undefined) return <span>{TEXT.aScript}</span>
  return (
    <>
      <Icon size={22} aria-hidden="true" />
      <span>{TEXT.risk[risk.level]}</span>
    </>
  )
}

/** How long it can still be answered, and what happens then. */
function Rest({ approval: { shownAt, askedAt, expiresAt, question } }: { approval: Approval }) {
  return <TimeLeft from={shownAt ?? askedAt} until={expiresAt} ending={question === undefined ? TEXT.ending.refused : TEXT.ending.closed} />
}

/** The rule that has a person asked, with its place; what it says where there is none. */
function Why({ approval: { decision } }: { approval: Approval }) {
  const { rule, reason } = decision
  if (rule === undefined) return <small>{reason}</small>
  return (
    <small>
      {TEXT.becauseOf}{' '}
      <button type="button" className="link" onClick={() => go({ view: 'policy' })}>
        <strong>{rule.name ?? TEXT.rule}</strong> <span className="mono">{`${fileOf(rule.file)}:${rule.line}`}</span>
      </button>
    </small>
  )
}

/** What belongs to the question and is seldom needed to answer it. */
function Around({ approval: { around = [], leftOut = [], args, decision } }: { approval: Approval }) {
  return (
    <details>
      <summary>{TEXT.around}</summary>
      <dl className="facts">
        {decision.rule !== undefined && <Fact label={TEXT.rulePlace} value={`${decision.rule.file}:${decision.rule.line}`} />}
        {around.length > 0 && <Fact label={TEXT.boundTo} value="" />}
        {around.map(({ label, value }, i) => (
          <Fact key={i} label={label} value={value} />
        ))}
        {leftOut.length > 0 && <Fact label={TEXT.leftOut} value={leftOut.join(', ')} />}
        <Fact label={TEXT.asWritten} value={JSON.stringify(args)} />
      </dl>
    </details>
  )
}

function Fact({ label, value }: { label: string; value: string }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </>
  )
}

/**
 * Whether the card and its answers have stood still for long enough: they move with the cards above, and when a picture comes in. Answers that a
 * person unfolds grow at one end; they have moved when both ends have.
 */
function useSettled(card: React.RefObject<HTMLElement | null>): React.RefObject<() => boolean> {
  const since = useRef(performance.now())
  const last = useRef<Places | undefined>(undefined)
  const settled = useRef(() => performance.now() - since.current >= PAUSE_MS)
  useEffect(() => {
    let frame = 0
    const watch = (): void => {
      const foot = card.current?.querySelector('.foot')?.getBoundingClientRect()
      const now = { card: card.current?.getBoundingClientRect().top, top: foot?.top, bottom: foot?.bottom }
      if (last.current === undefined || hasMoved(last.current, now)) since.current = performance.now()
      last.current = now
      frame = requestAnimationFrame(watch)
    }
    frame = requestAnimationFrame(watch)
    const refocused = (): void => void (since.current = performance.now())
    addEventListener('focus', refocused)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('focus', refocused)
    }
  }, [card])
  return settled
}

/** Where a card begins, and where its answers begin and end. */
interface Places {
  card: number | undefined
  top: number | undefined
  bottom: number | undefined
}

const hasMoved = (before: Places, now: Places): boolean =>
  before.card !== now.card || (before.top !== now.top && before.bottom !== now.bottom)

function titleOf(approval: Approval): string {
  const { question, steps } = approval
  if (question !== undefined) return question.message
  if (steps !== undefined) return TEXT.planTitle(steps.length)
  return `${wanted(approval)}?`
}

/** Where it is: application, window and what the element lies in, each as long as is told; the title has the element. */
function pathOf({ targets, question, steps }: Approval, most = Infinity): string {
  if (question !== undefined) return TEXT.scriptAsks(question.title)
  const [target] = targets
  if (steps !== undefined || target === undefined) return steps === undefined ? '' : TEXT.planOf(steps.length)
  const parts = toldOnce([target.app?.name, ...(target.path.at(-1) === target.name ? target.path.slice(0, -1) : target.path)])
  return `${TEXT.in.trim()} ${parts.map((part) => shortened(part, most)).join(' › ')}`
}

/** Why it was answered so, in the words that the agent got; why it can no longer be answered, where it was not. */
function noteOf({ state, note, isAllowed }: Question): string {
  if (state !== 'answered') return note ?? ''
  if (note !== undefined && note !== '') return TEXT.because(note)
  return isAllowed === true ? '' : TEXT.noReason
}

const shortened = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text)

import type { Approval } from '@deskhand/core/model'
import { DropdownMenu } from 'radix-ui'
import { useEffect, useRef, useState } from 'react'
import type { Answering } from '../../api/client.ts'
import { useAct, useConsole } from '../../parts/context.ts'
import { useKeys } from '../../parts/keys.ts'
import { Button, Chip, RiskWords } from '../../parts/parts.tsx'
import { TimeLeft } from '../../parts/time-left.tsx'
import type { Question } from '../../state/desktop-store.ts'
import { go } from '../../state/route.ts'
import { TEXT } from '../../text.ts'
import { RuleMaker } from '../policy/rule-maker.tsx'
import { Crop } from './crop.tsx'

/** No key and no click counts so soon after a card appeared or moved: a hand that was on its way meant something else. */
const PAUSE_MS = 500

interface CardProps {
  question: Question
  /** Whether the keys of the keyboard answer this one. */
  hasKeys: boolean
  mayAnswer: boolean
}

/** What an agent wants, why it is asked, what an answer would cover, and the answers. */
export function QuestionCard({ question, hasKeys, mayAnswer }: CardProps) {
  const { store } = useConsole()
  const { approval, state, note, pictured } = question
  const card = useRef<HTMLElement>(null)
  const isSettled = useSettled(card)
  const [isDenying, setDenying] = useState(false)
  const [reason, setReason] = useState('')
  const [isMakingRule, setMakingRule] = useState(false)
  const [isTooSoon, setTooSoon] = useState(false)
  const act = useAct()
  const isOpen = state === 'open'
  const app = approval.targets[0]?.app?.name
  const answer = (given: Answering): void => {
    if (!isOpen || !mayAnswer) return
    const isTooSoon = !isSettled.current()
    setTooSoon(isTooSoon)
    if (!isTooSoon) act(() => store.api.answer(approval.id, given))
  }
  const startDenying = (): void => {
    const isTooSoon = !isSettled.current()
    setTooSoon(isTooSoon)
    if (!isTooSoon) setDenying(true)
  }
  const allow = (scope: 'once' | 'app' | 'session') => () => answer({ allow: true, scope })

  useEffect(() => {
    if (mayAnswer && approval.shownAt === undefined && isOpen) void store.api.shown(approval.id).catch(() => {})
  }, [approval.id, approval.shownAt, isOpen, mayAnswer, store])
  useKeys(hasKeys && mayAnswer ? { a: allow('once'), d: startDenying } : {})

  return (
    <article ref={card} className={`card ${approval.risk.level} ${isOpen ? '' : 'ended'}`} aria-label={approval.summary}>
      <div className="top-line">
        <h3>{titleOf(approval)}</h3>
        {isOpen && <TimeLeft until={approval.expiresAt} />}
      </div>
      {pictured && <Crop approval={approval} address={store.api.address(`/approvals/${approval.id}/picture`)} />}
      <RiskWords risk={approval.risk} />
      {approval.changed !== undefined && approval.changed.length > 0 && (
        <div className="banner warn">
          {TEXT.changedSince}: {approval.changed.join(', ')}
        </div>
      )}
      {approval.steps !== undefined && <Plan steps={approval.steps} />}
      <Around approval={approval} />
      {approval.decision.rule !== undefined && (
        <small>
          <strong>{approval.principal.id}</strong> · {TEXT.becauseOf}{' '}
          <button type="button" className="link" onClick={() => go({ view: 'policy' })}>
            <strong>{approval.decision.rule.name ?? TEXT.rule}</strong>
          </button>
        </small>
      )}
      {isOpen ? (
        <>
          <p className="cover">{approval.steps === undefined ? TEXT.covers.once : TEXT.covers.plan(approval.steps.length)}</p>
          {isTooSoon && (
            <p className="banner warn" role="alert">
              {TEXT.tooSoon}
            </p>
          )}
          {isDenying ? (
            <form
              className="rows"
              onSubmit={(event) => {
                event.preventDefault()
                answer({ allow: false, ...(reason === '' ? {} : { reason }) })
              }}
            >
              <input
                className="field"
                autoFocus
                value={reason}
                placeholder={TEXT.answers.denyWhy}
                aria-label={TEXT.answers.denyWhy}
                onChange={(event) => setReason(event.target.value)}
              />
              <div className="acts">
                <Button type="submit" look="danger" className="wide">
                  {TEXT.answers.deny}
                </Button>
                <Button onClick={() => setDenying(false)}>Back</Button>
              </div>
            </form>
          ) : (
            <>
              <div className="acts">
                <Button className="wide" hint="D" disabled={!mayAnswer} onClick={startDenying}>
                  {TEXT.answers.deny}
                </Button>
                <Button look="primary" className="wide" hint="A" disabled={!mayAnswer} onClick={allow('once')}>
                  {TEXT.answers.once}
                </Button>
              </div>
              {approval.steps === undefined && approval.question === undefined && (
                <More
                  app={app}
                  tool={approval.tool}
                  risk={TEXT.risk[approval.risk.level] ?? ''}
                  allow={allow}
                  makeRule={() => setMakingRule(true)}
                  disabled={!mayAnswer}
                />
              )}
            </>
          )}
        </>
      ) : (
        <p className="cover" role="status">
          <strong>{TEXT.void[state]}</strong>: {note}
        </p>
      )}
      {isMakingRule && (
        <RuleMaker
          op={approval.op}
          initial="allow"
          before={isOpen ? (allowed) => store.settle(approval, allowed) : undefined}
          onClose={() => setMakingRule(false)}
        />
      )}
    </article>
  )
}

function More({
  app,
  tool,
  risk,
  allow,
  makeRule,
  disabled,
}: {
  app: string | undefined
  tool: string
  risk: string
  allow: (scope: 'app' | 'session') => () => void
  makeRule(): void
  disabled: boolean
}) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button look="quiet" disabled={disabled}>
          {TEXT.answers.more}
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end" sideOffset={6}>
          {app !== undefined && (
            <DropdownMenu.Item onSelect={allow('app')}>
              <strong>{TEXT.answers.app(app)}</strong>
              <small>{TEXT.covers.app(app, tool, risk)}</small>
            </DropdownMenu.Item>
          )}
          <DropdownMenu.Item onSelect={allow('session')}>
            <strong>{TEXT.answers.session}</strong>
            <small>{TEXT.covers.session(tool, risk)}</small>
          </DropdownMenu.Item>
          <DropdownMenu.Item onSelect={makeRule}>
            <strong>{TEXT.makeRule.offer}</strong>
            <small>{TEXT.makeRule.hint}</small>
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

function Plan({ steps }: { steps: NonNullable<Approval['steps']> }) {
  return (
    <ol className="plan">
      {steps.map((step, i) => (
        <li key={i}>
          {step.summary}{' '}
          <Chip look={step.state === 'known' ? 'plain' : 'warn'}>{step.state === 'known' ? TEXT.needs[step.needs] : TEXT.notKnown}</Chip>
        </li>
      ))}
    </ol>
  )
}

function Around({ approval: { around = [], leftOut = [], args, targets, decision } }: { approval: Approval }) {
  return (
    <details>
      <summary>{TEXT.around}</summary>
      <dl className="facts">
        <Fact label={TEXT.path} value={[targets[0]?.app?.name, ...(targets[0]?.path ?? [])].filter(Boolean).join(' › ')} />
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

/** Whether the card has stood still for long enough; it moves with the cards above it. */
function useSettled(card: React.RefObject<HTMLElement | null>): React.RefObject<() => boolean> {
  const since = useRef(performance.now())
  const last = useRef<number>(undefined)
  const settled = useRef(() => performance.now() - since.current >= PAUSE_MS)
  useEffect(() => {
    let frame = 0
    const watch = (): void => {
      const top = card.current?.getBoundingClientRect().top
      if (top !== last.current) {
        since.current = performance.now()
        last.current = top
      }
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

function titleOf({ summary, question }: Approval): string {
  if (question !== undefined) return question.message
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}?`
}

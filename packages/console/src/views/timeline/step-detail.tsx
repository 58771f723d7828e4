import type { JournalEntry } from '@deskhand/core/model'
import { useEffect, useState, type ReactNode } from 'react'
import { useAct, useConsole } from '../../parts/context.ts'
import { Button, EffectMark, RiskWords, Words } from '../../parts/parts.tsx'
import { clock } from '../../state/clock.ts'
import { markOf, sentence, whereOf } from '../../state/sentences.ts'
import type { Step } from '../../state/steps.ts'
import { TEXT } from '../../text.ts'
import { BeforeAfter } from './pictures.tsx'
import { Replay } from './replay.tsx'
import { RuleMaker } from '../policy/rule-maker.tsx'

/** One call: what it was about, what was decided and by whom, what was sent and seen, and the entries as they are in the record. */
export function StepDetail({ step }: { step: Step }) {
  const { api, store } = useConsole()
  const { decided, answered, acting, done } = step
  const [raw, setRaw] = useState<readonly JournalEntry[]>([])
  const [isMakingRule, setMakingRule] = useState(false)
  const act = useAct()
  const [target] = decided.targets
  useEffect(() => act(async () => setRaw(await store.api.callOf(step.op))), [act, store, step.op, done])
  return (
    <section className="detail" aria-label="Step">
      <div>
        <h2>
          <Words of={sentence(step)} />
        </h2>
        <small>
          {clock(step.time)} · {decided.principal.id} · {decided.tool}
          {whereOf(step) !== '' && ` · ${whereOf(step)}`}
        </small>
      </div>
      <div className="chips">
        <EffectMark mark={markOf(step)} />
        <RiskWords risk={decided.risk} />
      </div>
      <BeforeAfter step={step} />
      <Facts title={TEXT.timeline.decision}>
        <Fact name="verdict">{decided.decision.verdict}</Fact>
        <Fact name="why">{decided.decision.reason}</Fact>
        {decided.decision.rule && (
          <Fact name="rule">
            <span className="mono">
              {decided.decision.rule.name} {decided.decision.rule.file}:{decided.decision.rule.line}
            </span>
          </Fact>
        )}
        {decided.intent !== undefined && <Fact name="intent">{decided.intent}</Fact>}
      </Facts>
      {answered !== undefined && (
        <Facts title={TEXT.timeline.answer}>
          <Fact name={answered.allow ? 'allowed' : 'denied'}>
            {answered.by?.id ?? 'nobody'}, {answered.scope}
            {answered.reason !== undefined && `: ${answered.reason}`}
          </Fact>
          <Fact name="shown">{answered.shownAt === undefined ? 'never' : clock(answered.shownAt)}</Fact>
          <Fact name="by way of">{[answered.surface, answered.channel].filter(Boolean).join(', ')}</Fact>
        </Facts>
      )}
      {target !== undefined && (
        <Facts title={TEXT.timeline.target}>
          <Fact name="element">
            {target.role} {target.name !== undefined && `“${target.name}”`}
          </Fact>
          <Fact name="path">{target.path.join(' › ')}</Fact>
          <Fact name="found by">{target.selector ?? target.source}</Fact>
          <Fact name="confidence">
            {target.confidence} ({target.why.join('; ')})
          </Fact>
        </Facts>
      )}
      {done !== undefined && (
        <Facts title={TEXT.timeline.outcome}>
          <Fact name="sent">
            {done.sent} {done.via !== undefined && `by ${done.via}`}
          </Fact>
          {done.verification !== undefined && (
            <Fact name={done.verification.passed ? 'verified' : 'not verified'}>{done.verification.details}</Fact>
          )}
          {done.code !== undefined && <Fact name="error">{done.code}</Fact>}
          {acting !== undefined && <Fact name="steps">{acting.steps.join('; ')}</Fact>}
          <Fact name="took">{done.ms} ms</Fact>
        </Facts>
      )}
      {api.mayOperate && (
        <div className="acts">{decided.dryRun !== true && <Button onClick={() => setMakingRule(true)}>{TEXT.makeRule.offer}</Button>}</div>
      )}
      {isMakingRule && <RuleMaker op={step.op} initial={decided.decision.verdict} onClose={() => setMakingRule(false)} />}
      {api.mayOperate && <Replay step={step} />}
      <details>
        <summary>{TEXT.timeline.raw}</summary>
        <pre>{raw.map((entry) => JSON.stringify(entry, null, 2)).join('\n')}</pre>
      </details>
    </section>
  )
}

function Facts({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <h3>{title}</h3>
      <dl className="facts">{children}</dl>
    </div>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

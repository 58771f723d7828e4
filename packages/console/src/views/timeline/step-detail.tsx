import type { JournalEntry, RuleInForce } from '@deskhand/core/model'
import { ChevronDown, ChevronUp } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import { useAct, useConsole, useDesktop } from '../../parts/context.ts'
import { useKeys } from '../../parts/keys.ts'
import { Button, Chip, EffectMark, RiskWords, Words } from '../../parts/parts.tsx'
import { clock, moment } from '../../state/clock.ts'
import { go } from '../../state/route.ts'
import { conditionWords, fileOf, reasonOf, toolWords } from '../../state/rules.ts'
import { markOf, sentence, whereOf } from '../../state/sentences.ts'
import type { Step } from '../../state/steps.ts'
import { TEXT } from '../../text.ts'
import { BeforeAfter } from './pictures.tsx'
import { trustOf } from './record.ts'
import { Replay } from './replay.tsx'
import { RuleMaker } from '../policy/rule-maker.tsx'

const FACTS = TEXT.timeline.facts

interface StepDetailProps {
  step: Step
  /** The steps before and after it in the list. */
  older?: Step | undefined
  newer?: Step | undefined
}

/** One call: what it was about, what was decided and by whom, what was sent and seen, and the entries as they are in the record. */
export function StepDetail({ step, older, newer }: StepDetailProps) {
  const { api, store } = useConsole()
  const { check } = useDesktop()
  const { decided, answered, acting, done } = step
  const [raw, setRaw] = useState<readonly JournalEntry[]>([])
  const [isMakingRule, setMakingRule] = useState(false)
  const act = useAct()
  const [target] = decided.targets
  const trusted = trustOf(check, step.seq, newer?.seq)
  useEffect(() => act(async () => setRaw(await store.api.callOf(step.op))), [act, store, step.op, done])
  return (
    <section className="detail" aria-label={TEXT.timeline.step}>
      <Neighbours older={older} newer={newer} />
      <div>
        <h2>
          <Words of={sentence(step)} />
        </h2>
        <small>
          {moment(step.time)} · {decided.principal.id} · {decided.tool}
          {whereOf(step) !== '' && ` · ${whereOf(step)}`}
        </small>
      </div>
      <div className="chips">
        <EffectMark mark={markOf(step)} />
        <RiskWords risk={decided.risk} />
      </div>
      <BeforeAfter step={step} />
      <Facts title={TEXT.timeline.decision}>
        <Fact name={FACTS.verdict}>{TEXT.verdicts[decided.decision.verdict]}</Fact>
        <Fact name={FACTS.why}>{reasonOf(decided.decision)}</Fact>
        {decided.decision.rule && <RuleFact rule={decided.decision.rule} />}
        {decided.intent !== undefined && <Fact name={FACTS.intent}>{decided.intent}</Fact>}
      </Facts>
      {answered !== undefined && (
        <Facts title={TEXT.timeline.answer}>
          <Fact name={answered.allow ? FACTS.allowed : FACTS.denied}>
            {answered.by?.id ?? FACTS.noPerson}, {answered.scope}
            {answered.reason !== undefined && `: ${answered.reason}`}
          </Fact>
          <Fact name={FACTS.shown}>{answered.shownAt === undefined ? FACTS.never : clock(answered.shownAt)}</Fact>
          <Fact name={FACTS.byWayOf}>{[answered.surface, answered.channel].filter(Boolean).join(', ')}</Fact>
        </Facts>
      )}
      {target !== undefined && (
        <Facts title={TEXT.timeline.target}>
          <Fact name={FACTS.element}>
            {target.role} {target.name !== undefined && `“${target.name}”`}
          </Fact>
          <Fact name={FACTS.path}>{target.path.join(' › ')}</Fact>
          <Fact name={FACTS.foundBy}>{target.selector ?? target.source}</Fact>
          <Fact name={FACTS.confidence}>
            {target.confidence} ({target.why.join('; ')})
          </Fact>
        </Facts>
      )}
      {done !== undefined && (
        <Facts title={TEXT.timeline.outcome}>
          <Fact name={FACTS.sent}>
            {done.sent} {done.via !== undefined && FACTS.by(done.via)}
          </Fact>
          {done.verification !== undefined && (
            <Fact name={done.verification.passed ? FACTS.verified : FACTS.notVerified}>{done.verification.details}</Fact>
          )}
          {done.code !== undefined && <Fact name={FACTS.error}>{done.code}</Fact>}
          {acting !== undefined && <Fact name={FACTS.steps}>{acting.steps.join('; ')}</Fact>}
          <Fact name={FACTS.took}>{done.ms < 10 ? done.ms.toFixed(1) : Math.round(done.ms)} ms</Fact>
        </Facts>
      )}
      <Facts title={TEXT.timeline.record}>
        <Fact name={TEXT.timeline.entry(step.seq)}>
          <Chip look={trusted === 'broken' || trusted === 'after' ? 'bad' : trusted === 'fresh' ? 'plain' : 'ok'}>
            {TEXT.timeline.state[trusted]}
          </Chip>
        </Fact>
      </Facts>
      {api.mayOperate && decided.dryRun !== true && (
        <div className="acts">
          <Button onClick={() => setMakingRule(true)}>{TEXT.makeRule.offer}</Button>
        </div>
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

/** The steps beside this one, each a key away. */
function Neighbours({ older, newer }: Pick<StepDetailProps, 'older' | 'newer'>) {
  const to = (step: Step | undefined) => step && (() => go({ view: 'timeline', op: step.op }))
  useKeys({ k: to(newer), j: to(older) })
  return (
    <nav className="neighbours" aria-label={TEXT.timeline.neighbours}>
      <Button look="quiet" hint="K" disabled={newer === undefined} onClick={to(newer)}>
        <ChevronUp size={15} aria-hidden="true" /> <Neighbour place={TEXT.timeline.newer} step={newer} />
      </Button>
      <Button look="quiet" hint="J" disabled={older === undefined} onClick={to(older)}>
        <ChevronDown size={15} aria-hidden="true" /> <Neighbour place={TEXT.timeline.older} step={older} />
      </Button>
    </nav>
  )
}

/** What it is; where it stands is drawn, and said to those who hear it. */
function Neighbour({ place, step }: { place: string; step: Step | undefined }) {
  if (step === undefined) return <span>{place}</span>
  return (
    <>
      <span className="visually-hidden">{place}: </span>
      <span>
        <Words of={sentence(step)} />
      </span>
    </>
  )
}

/** The rule that decided: its name and place, and what it says where it is still in force. */
function RuleFact({ rule }: { rule: NonNullable<Step['decided']['decision']['rule']> }) {
  const { store } = useConsole()
  const [found, setFound] = useState<RuleInForce>()
  useEffect(() => {
    const isIt = ({ source }: RuleInForce): boolean => source.file === rule.file && source.line === rule.line && source.name === rule.name
    void store.api.policy().then(
      ({ rules }) => setFound(rules.find(isIt)),
      () => {},
    )
  }, [rule.file, rule.line, rule.name, store])
  const says = found && [toolWords(found.spec), ...conditionWords(found.spec)]
  return (
    <Fact name={FACTS.rule}>
      <strong>{rule.name}</strong>{' '}
      <span className="mono" title={`${rule.file}:${rule.line}`}>
        {fileOf(rule.file)}:{rule.line}
      </span>
      {found !== undefined && (
        <span className="block">
          {TEXT.verdicts[String(found.spec['decision'])]}: {says?.join('; ')}
        </span>
      )}
    </Fact>
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

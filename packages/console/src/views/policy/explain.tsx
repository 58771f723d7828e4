import type { Explanation } from '@deskhand/core/model'
import { useState } from 'react'
import { useAct, useConsole, useDraft } from '../../parts/context.ts'
import { Button, Chip, RiskWords } from '../../parts/parts.tsx'
import type { DraftKinds } from '../../state/drafts.ts'
import { fileOf, reasonOf } from '../../state/rules.ts'
import { TEXT } from '../../text.ts'

const USUAL: DraftKinds['explain'] = { tool: 'ui.click', target: '', more: '', agent: 'agent' }

/** What the policy would say to a call of an agent now. */
export function Explain() {
  const { store } = useConsole()
  const [call = USUAL, setCall] = useDraft('explain')
  const [found, setFound] = useState<Explanation>()
  const act = useAct()
  const field = (name: keyof typeof call, label: string, isRequired = false) => (
    <input
      className="field wide mono"
      aria-label={label}
      placeholder={label}
      required={isRequired}
      value={call[name]}
      onChange={(event) => setCall({ ...call, [name]: event.target.value })}
    />
  )
  return (
    <section className="panel padded rows" aria-label={TEXT.policy.explain}>
      <h2>{TEXT.policy.explain}</h2>
      <form
        className="rows"
        onSubmit={(event) => {
          event.preventDefault()
          act(async () => {
            setFound(undefined)
            setFound(await store.api.explain(call.tool, argumentsOf(call), call.agent))
          })
        }}
      >
        <div className="acts">
          {field('agent', TEXT.explain.agent, true)}
          {field('tool', TEXT.explain.tool, true)}
        </div>
        {field('target', TEXT.explain.target)}
        {field('more', TEXT.explain.more)}
        <div className="acts">
          <Button type="submit">{TEXT.policy.test}</Button>
        </div>
      </form>
      {found !== undefined && <Explained found={found} />}
    </section>
  )
}

function argumentsOf({ target, more }: { target: string; more: string }): object {
  const other = more.trim() === '' ? {} : readJson(more)
  return target === '' ? other : { target, ...other }
}

function readJson(text: string): object {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {}
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(TEXT.explain.badJson)
  return value
}

function Explained({ found: { decision, risk, rules } }: { found: Explanation }) {
  const others = rules.filter(({ matched }) => !matched)
  return (
    <div className="rows" role="status">
      <div className="chips">
        <Verdict verdict={decision.verdict} />
        <RiskWords risk={risk} />
      </div>
      <p>{reasonOf(decision)}</p>
      <h3>{TEXT.explain.rules}</h3>
      <RuleRows rules={rules.filter(({ matched }) => matched)} />
      {others.length > 0 && (
        <details>
          <summary>{TEXT.explain.others(others.length)}</summary>
          <RuleRows rules={others} />
        </details>
      )}
    </div>
  )
}

function RuleRows({ rules }: { rules: Explanation['rules'] }) {
  return (
    <ul className="plain-list">
      {rules.map(({ rule, verdict, won, note }, i) => (
        <li key={i}>
          <Verdict verdict={verdict} /> {won ? <strong>{rule.name ?? TEXT.rule}</strong> : (rule.name ?? TEXT.rule)}{' '}
          <span className="mono" title={`${rule.file}:${rule.line}`}>
            {fileOf(rule.file)}:{rule.line}
          </span>
          {won && ` · ${TEXT.explain.decides}`}
          <small>{note.slice(note.indexOf(': ') + 2)}</small>
        </li>
      ))}
    </ul>
  )
}

const Verdict = ({ verdict }: { verdict: Explanation['decision']['verdict'] }) => (
  <Chip look={verdict === 'allow' ? 'ok' : verdict === 'deny' ? 'bad' : 'warn'}>{TEXT.verdicts[verdict]}</Chip>
)

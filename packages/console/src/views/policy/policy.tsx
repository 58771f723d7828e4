import type { Explanation, Grant, PolicyInForce } from '@deskhand/core/model'
import { lazy, Suspense, useEffect, useState } from 'react'
import type { Problem, Trial } from '../../api/client.ts'
import { useAct, useConsole, useDesktop } from '../../parts/context.ts'
import { Button, Chip, clock } from '../../parts/parts.tsx'
import type { Step } from '../../state/steps.ts'
import { TEXT } from '../../text.ts'

const Editor = lazy(async () => ({ default: (await import('../../parts/editor.tsx')).Editor }))

const DRAFT = `[[rule]]
toolName = "ui.click"
decision = "ask_user"
priority = 500

[rule.when]
name = "Delete*"
`

/** The keys and words of a policy file. */
const WORDS = [
  ...['toolName', 'decision', 'priority', 'name', 'modes', 'denyMessage', 'expires', 'rateLimit', 'argsPattern', 'after'],
  ...['app', 'process', 'window', 'role', 'url', 'state', 'source', 'confidence', 'risk', 'driver', 'text', 'tainted', 'desktop'],
  ...['allow', 'deny', 'ask_user', 'redact', 'screenshot', 'verify', 'evidence', '[[rule]]', '[rule.when]'],
]

/** The rules in force, why a call is decided as it is, and what a change would have meant. */
export function PolicyView() {
  const { store, api } = useConsole()
  const { rows } = useDesktop()
  const act = useAct()
  const [policy, setPolicy] = useState<PolicyInForce>()
  useEffect(() => act(async () => setPolicy(await store.api.policy())), [act, store])
  const counts = new Map<string, number>()
  for (const row of rows.list) {
    const rule = row.row === 'step' ? (row as Step).decided.decision.rule : undefined
    if (rule !== undefined) counts.set(`${rule.file}:${rule.line}`, (counts.get(`${rule.file}:${rule.line}`) ?? 0) + 1)
  }
  return (
    <main className="page">
      <header>
        <h1>{TEXT.views.policy}</h1>
        {policy !== undefined && <Chip look="plain">{policy.version}</Chip>}
      </header>
      <div className="rows">
        <section className="panel">
          <h2 className="sec">{TEXT.policy.inForce}</h2>
          <table>
            <thead>
              <tr>
                <th>Rule</th>
                <th>Says</th>
                <th>When</th>
                <th>Times used</th>
              </tr>
            </thead>
            <tbody>
              {policy?.rules.map(({ source, spec }, i) => (
                <tr key={i}>
                  <td>
                    {source.name ?? TEXT.rule} <br />
                    <small className="mono">
                      {source.file}:{source.line} · {source.tier}
                    </small>
                  </td>
                  <td>
                    <Chip look={spec['decision'] === 'allow' ? 'ok' : spec['decision'] === 'deny' ? 'bad' : 'warn'}>
                      {TEXT.verdicts[String(spec['decision'])] ?? String(spec['decision'])}
                    </Chip>
                  </td>
                  <td className="mono">
                    {[spec['toolName']].flat().filter(Boolean).join(', ')} {spec['when'] === undefined ? '' : JSON.stringify(spec['when'])}
                  </td>
                  <td>{counts.get(`${source.file}:${source.line}`) ?? 0}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
        <div className="columns">
          {api.mayOperate && <Explain />}
          <Grants />
        </div>
        {api.mayOperate && <Draft />}
      </div>
    </main>
  )
}

function Explain() {
  const { store } = useConsole()
  const [tool, setTool] = useState('ui.click')
  const [target, setTarget] = useState('')
  const [found, setFound] = useState<Explanation>()
  const act = useAct()
  return (
    <section className="panel padded rows">
      <h2>{TEXT.policy.explain}</h2>
      <form
        className="acts"
        onSubmit={(event) => {
          event.preventDefault()
          act(async () => setFound(await store.api.explain(tool, target === '' ? {} : { target }, 'agent')))
        }}
      >
        <input className="field" aria-label="Tool" value={tool} onChange={(event) => setTool(event.target.value)} />
        <input
          className="field wide mono"
          aria-label="Target"
          placeholder='name="Save"'
          value={target}
          onChange={(event) => setTarget(event.target.value)}
        />
        <Button type="submit">{TEXT.policy.test}</Button>
      </form>
      {found !== undefined && <pre>{found.text}</pre>}
    </section>
  )
}

function Draft() {
  const { store } = useConsole()
  const [text, setText] = useState(DRAFT)
  const [problems, setProblems] = useState<readonly Problem[]>([])
  const [trial, setTrial] = useState<readonly Trial[]>()
  const act = useAct()
  return (
    <section className="panel padded rows">
      <h2>{TEXT.policy.draft}</h2>
      <small>{TEXT.policy.draftHint}</small>
      <Suspense fallback={<div className="editor" />}>
        <Editor label={TEXT.policy.draft} language="toml" initial={DRAFT} problems={problems} completions={WORDS} onChange={setText} />
      </Suspense>
      <div className="acts">
        <Button onClick={() => act(async () => setProblems(await store.api.checkPolicy(text)))}>{TEXT.policy.check}</Button>
        <Button look="primary" onClick={() => act(async () => setTrial(await store.api.tryPolicy(text)))}>
          {TEXT.policy.whatIf}
        </Button>
      </div>
      {problems.map((problem, i) => (
        <p key={i} className={`banner ${problem.severity === 'error' ? 'bad' : 'warn'}`}>
          {problem.line}: {problem.message}
        </p>
      ))}
      {trial !== undefined && <Differences trial={trial.filter((one) => one.differs)} />}
    </section>
  )
}

function Differences({ trial }: { trial: readonly Trial[] }) {
  if (trial.length === 0) return <p>{TEXT.policy.same}</p>
  const counts = new Map<string, number>()
  for (const { now } of trial) counts.set(now.verdict, (counts.get(now.verdict) ?? 0) + 1)
  return (
    <div className="rows">
      <p className="chips">
        {[...counts].map(([verdict, n]) => (
          <Chip key={verdict} look={verdict === 'deny' ? 'bad' : verdict === 'ask_user' ? 'warn' : 'ok'}>
            {TEXT.wouldHave[verdict] ?? verdict} {n}
          </Chip>
        ))}
      </p>
      <table>
        <tbody>
          {trial.slice(0, 50).map(({ seq, time, tool, was, now }) => (
            <tr key={seq}>
              <td className="mono">{time === undefined ? '' : clock(time)}</td>
              <td>{tool}</td>
              <td>
                {was.verdict} → <strong>{now.verdict}</strong>
              </td>
              <td>
                <small>{now.reason}</small>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Grants() {
  const { store, api } = useConsole()
  const [grants, setGrants] = useState<readonly Grant[]>([])
  const act = useAct()
  useEffect(() => act(async () => setGrants(await store.api.grants())), [act, store])
  return (
    <section className="panel padded rows">
      <h2>{TEXT.policy.grants}</h2>
      {grants.length === 0 && <small>{TEXT.policy.noGrants}</small>}
      {grants.map((grant) => (
        <div key={grant.id} className="acts">
          <p className="wide">
            <strong>{grant.principal}</strong>: {grant.tools.join(', ')}{' '}
            {grant.apps.length === 0 ? 'anywhere' : `in ${grant.apps.join(', ')}`}, up to {TEXT.risk[grant.maxRisk]}, {grant.left} more,
            until {clock(grant.expiresAt)}
          </p>
          {api.mayOperate && (
            <Button
              onClick={() =>
                act(async () => {
                  await store.api.revoke(grant.id)
                  setGrants(await store.api.grants())
                })
              }
            >
              {TEXT.policy.revoke}
            </Button>
          )}
        </div>
      ))}
    </section>
  )
}

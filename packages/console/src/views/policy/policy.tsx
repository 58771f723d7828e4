import type { PolicyInForce } from '@deskhand/core/model'
import { useCallback, useEffect, useState } from 'react'
import { useAct, useConsole, useDesktop } from '../../parts/context.ts'
import { Chip } from '../../parts/parts.tsx'
import { conditionWords } from '../../state/rules.ts'
import { TEXT } from '../../text.ts'
import { Explain } from './explain.tsx'
import { Grants } from './grants.tsx'
import { SavedRulesEditor } from './saved-rules.tsx'

/** The rules in force, why a call is decided as it is, and what a change would have meant. */
export function PolicyView() {
  const { store, api } = useConsole()
  const { rows } = useDesktop()
  const act = useAct()
  const [policy, setPolicy] = useState<PolicyInForce>()
  const read = useCallback(() => act(async () => setPolicy(await store.api.policy())), [act, store])
  useEffect(read, [read])
  const counts = new Map<string, number>()
  for (const row of rows.list) {
    const rule = row.row === 'step' ? row.decided.decision.rule : undefined
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
                  <td>
                    <span className="mono">{[spec['toolName']].flat().filter(Boolean).join(', ')}</span>
                    <small className="block">{conditionWords(spec).join('; ') || TEXT.policy.always}</small>
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
        {api.mayOperate && <SavedRulesEditor onSaved={read} />}
      </div>
    </main>
  )
}

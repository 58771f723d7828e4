import type { PolicyInForce, RuleUse } from '@deskhand/core/model'
import { useCallback } from 'react'
import { useConsole, useDesktop } from '../../parts/context.ts'
import { Chip } from '../../parts/parts.tsx'
import { Read, useReading } from '../../parts/reading.tsx'
import { conditionWords, fileOf, toolWords } from '../../state/rules.ts'
import { TEXT } from '../../text.ts'
import { Explain } from './explain.tsx'
import { Grants } from './grants.tsx'
import { SavedRulesEditor } from './saved-rules.tsx'

/** The rules in force, why a call is decided as it is, and what a change would have meant. */
export function PolicyView() {
  const { store, api } = useConsole()
  const read = useCallback(async () => {
    const [policy, uses] = await Promise.all([store.api.policy(), store.api.ruleUses()])
    return { policy, uses }
  }, [store])
  const found = useReading(read, useDesktop().decided)
  return (
    <main className="page">
      <header>
        <h1>{TEXT.views.policy}</h1>
        {found.value !== undefined && (
          <Chip look="plain">
            {TEXT.policy.version} {found.value.policy.version.slice(0, 12)}
          </Chip>
        )}
      </header>
      <div className="rows wide-gap">
        <section className="panel" aria-label={TEXT.policy.inForce}>
          <h2 className="table-title">{TEXT.policy.inForce}</h2>
          <Read of={found}>{({ policy, uses }) => <Rules policy={policy} uses={uses} />}</Read>
        </section>
        <div className="masonry">
          {api.mayOperate && <Explain />}
          <Grants />
          <section className="panel padded rows" aria-label={TEXT.policy.presets}>
            <h2>{TEXT.policy.presets}</h2>
            <small>{TEXT.policy.presetsHint}</small>
            <Read of={found}>{({ policy }) => <Presets policy={policy} />}</Read>
          </section>
        </div>
        {api.mayOperate && <SavedRulesEditor onSaved={found.again} />}
      </div>
    </main>
  )
}

function Rules({ policy, uses }: { policy: PolicyInForce; uses: readonly RuleUse[] }) {
  const counts = new Map(uses.map((use) => [nameOf(use), use.count]))
  return (
    <table className="counted">
      <thead>
        <tr>
          {TEXT.policy.columns.map((name) => (
            <th key={name}>{name}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {policy.rules.map(({ source, spec }, i) => (
          <tr key={i}>
            <td>
              {source.name ?? TEXT.rule} <br />
              <small className="mono" title={`${source.file}:${source.line}`}>
                {fileOf(source.file)}:{source.line} · {source.tier}
              </small>
            </td>
            <td>
              <Chip look={spec['decision'] === 'allow' ? 'ok' : spec['decision'] === 'deny' ? 'bad' : 'warn'}>
                {TEXT.verdicts[String(spec['decision'])] ?? String(spec['decision'])}
              </Chip>
            </td>
            <td>
              <span className="mono">{toolWords(spec)}</span>
              <small className="block">{conditionWords(spec).join('; ') || TEXT.policy.always}</small>
            </td>
            <td className="number">{counts.get(nameOf(source)) ?? 0}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Presets({ policy }: { policy: PolicyInForce }) {
  return (
    <dl className="facts">
      {policy.presets.map(({ name, about, inForce }) => (
        <Preset key={name} name={name} about={about} inForce={inForce} />
      ))}
    </dl>
  )
}

function Preset({ name, about, inForce }: PolicyInForce['presets'][number]) {
  return (
    <>
      <dt>
        {name} {inForce && <Chip look="ok">{TEXT.policy.inForceMark}</Chip>}
      </dt>
      <dd>{about}</dd>
    </>
  )
}

/** A rule with a name is counted under it, wherever in its file it stood then. */
const nameOf = ({ file, name, line }: { file: string; name?: string | undefined; line: number }): string =>
  JSON.stringify([file, name ?? line])

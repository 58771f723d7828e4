import type { Retried } from '@deskhand/core/model'
import { useAct, useConsole } from '../../parts/context.ts'
import { Button, Chip } from '../../parts/parts.tsx'
import { StepLink } from '../../parts/step-link.tsx'
import { moment } from '../../state/clock.ts'
import { reasonOf } from '../../state/rules.ts'
import { nameOf, placeOf } from '../../state/sentences.ts'
import { TEXT } from '../../text.ts'
import type { Comparison } from './comparison.ts'

interface DifferencesProps {
  comparison: Comparison
  goOn(comparison: Comparison): Promise<void>
  /** Whether following a link must not leave what is open. */
  isBeside?: boolean
}

/** The recorded calls that a draft decides differently, and how much of the record was compared. */
export function Differences({ comparison, goOn, isBeside = false }: DifferencesProps) {
  const { calls, read, since, hidden, next } = comparison
  const act = useAct()
  const counts = new Map<string, number>()
  for (const { now } of calls) counts.set(now.verdict, (counts.get(now.verdict) ?? 0) + 1)
  return (
    <div className="rows">
      <p className="chips">
        {calls.length === 0 && TEXT.policy.same}
        {[...counts].map(([verdict, n]) => (
          <Chip key={verdict} look={verdict === 'deny' ? 'bad' : verdict === 'ask_user' ? 'warn' : 'ok'}>
            {TEXT.wouldHave[verdict] ?? verdict} {n}
          </Chip>
        ))}
      </p>
      {calls.length > 0 && (
        <div className="differences" tabIndex={0} role="region" aria-label={TEXT.policy.differences}>
          <table>
            <tbody>
              {calls.toReversed().map((call) => (
                <Difference key={call.seq} call={call} isBeside={isBeside} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div className="acts">
        <small className="wide">
          {TEXT.policy.compared(read, next === undefined || since === undefined ? undefined : moment(since))}
          {hidden > 0 && ` ${TEXT.policy.hiddenText(hidden)}`}
        </small>
        {next !== undefined && <Button onClick={() => act(() => goOn(comparison))}>{TEXT.policy.readOlder}</Button>}
      </div>
    </div>
  )
}

function Difference({ call: { time, op, tool, target, was, now }, isBeside }: { call: Retried; isBeside: boolean }) {
  const { store } = useConsole()
  const what = (
    <>
      {tool} <strong>{nameOf(target)}</strong>
    </>
  )
  return (
    <tr>
      <td className="mono">{time === undefined ? '' : moment(time)}</td>
      <td>
        {op === undefined ? (
          what
        ) : (
          <StepLink desktop={store.api.name} op={op} isBeside={isBeside}>
            {what}
          </StepLink>
        )}
        <small className="block">{placeOf(target)}</small>
      </td>
      <td>
        {TEXT.verdicts[was.verdict]} → <strong>{TEXT.verdicts[now.verdict]}</strong>
        <small className="block">{reasonOf(now)}</small>
      </td>
    </tr>
  )
}

import type { Trial } from '../../api/client.ts'
import { Chip } from '../../parts/parts.tsx'
import { clock } from '../../state/clock.ts'
import { TEXT } from '../../text.ts'

/** The recorded calls that a draft decides differently. */
export function Differences({ trial }: { trial: readonly Trial[] }) {
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

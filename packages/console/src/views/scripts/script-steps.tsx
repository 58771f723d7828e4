import type { Result } from '@deskhand/core/model'
import { Chip } from '../../parts/parts.tsx'
import { Snippet } from '../../parts/snippet.tsx'
import { TEXT } from '../../text.ts'

/** A call of a script, as the answer tells it. */
interface ToldStep {
  line: number
  call: string
  target?: string
  effect?: string
  decision?: { verdict: string; reason?: string }
  risk?: string
  error?: { code: string; message: string }
}

interface ToldScript {
  steps: readonly ToldStep[]
  output?: string
  calls?: readonly unknown[]
}

/** What a script did or would do, call by call, then what it printed. */
export function ScriptSteps({ result }: { result: Result }) {
  const { data, error, text } = result
  // A rehearsal brings nothing about.
  const hasEffects = isTold(data) && data.steps.some((step) => step.effect !== undefined || step.error !== undefined)
  if (!isTold(data)) return <pre>{text ?? error?.message ?? JSON.stringify(data, null, 2)}</pre>
  return (
    <div className="rows">
      {error !== undefined && <p className="banner bad">{error.message}</p>}
      {data.steps.length > 0 && (
        <table className="panel">
          <thead>
            <tr>
              {TEXT.scripts.columns.slice(0, hasEffects ? undefined : -1).map((name) => (
                <th key={name}>{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.steps.map((step, i) => (
              <tr key={i}>
                <td>{step.line}</td>
                <td className="mono">{step.call}</td>
                <td>{step.target?.replace(REF, '') ?? TEXT.notKnown}</td>
                <td>{step.decision !== undefined && <Judged {...step.decision} risk={step.risk} />}</td>
                {hasEffects && (
                  <td>{step.error === undefined ? effectWords(step.effect) : <Chip look="bad">{step.error.message}</Chip>}</td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {data.output !== undefined && data.output !== '' && <pre>{data.output}</pre>}
      {data.calls !== undefined && (
        <>
          <h3>{TEXT.scripts.calls}</h3>
          <Snippet text={data.calls.map((call) => JSON.stringify(call)).join('\n')} label={TEXT.scripts.calls} />
        </>
      )}
    </div>
  )
}

/** The name that agents call an element by; it says nothing to people. */
const REF = / e\d+$/

const effectWords = (effect = ''): string => (TEXT.marks as Record<string, string>)[effect] ?? effect

function Judged({ verdict, reason, risk }: { verdict: string; reason?: string; risk: string | undefined }) {
  return (
    <>
      <Chip look={verdict === 'allow' ? 'ok' : verdict === 'deny' ? 'bad' : 'warn'}>{TEXT.verdicts[verdict] ?? verdict}</Chip>{' '}
      {risk !== undefined && <small>{TEXT.risk[risk]}</small>}
      {reason !== undefined && <small className="block">{reason}</small>}
    </>
  )
}

const isTold = (data: unknown): data is ToldScript =>
  typeof data === 'object' && data !== null && 'steps' in data && Array.isArray(data.steps)

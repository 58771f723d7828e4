import { useAct, useConsole, useDesktop } from '../../parts/context.ts'
import { Button } from '../../parts/parts.tsx'
import { Read, useReading } from '../../parts/reading.tsx'
import { TimeLeft } from '../../parts/time-left.tsx'
import { TEXT } from '../../text.ts'

/** How far real input may go, and standing permissions that answers gave, each with what is left of it. */
export function Grants() {
  const { store, api } = useConsole()
  const grants = useReading(store.api.grants)
  const act = useAct()
  return (
    <section className="panel padded rows" aria-label={TEXT.policy.grants}>
      <h2>{TEXT.policy.grants}</h2>
      <Mode />
      <Read of={grants}>
        {(list) =>
          list.length === 0 ? (
            <small>{TEXT.policy.noGrants}</small>
          ) : (
            list.map((grant) => (
              <div key={grant.id} className="acts">
                <p className="wide">
                  <strong>{grant.principal}</strong>: {TEXT.policy.grant(grant)}
                </p>
                <TimeLeft until={grant.expiresAt} />
                {api.mayOperate && (
                  <Button
                    onClick={() =>
                      act(async () => {
                        await store.api.revoke(grant.id)
                        grants.again()
                      })
                    }
                  >
                    {TEXT.policy.revoke}
                  </Button>
                )}
              </div>
            ))
          )
        }
      </Read>
    </section>
  )
}

function Mode() {
  const { store, api } = useConsole()
  const { info } = useDesktop()
  const act = useAct()
  if (info === undefined) return null
  return (
    <div className="rows">
      <label className="acts">
        {TEXT.settings.mode}
        <select
          className="select wide"
          value={info.mode}
          disabled={!api.mayOperate}
          onChange={(event) => act(() => store.api.mode(event.target.value))}
        >
          {Object.entries(TEXT.modes).map(([mode, words]) => (
            <option key={mode} value={mode}>
              {words}
            </option>
          ))}
        </select>
      </label>
      {info.inputGrants?.map(({ apps, input, until }, i) => (
        <div key={i} className="acts">
          <p className="wide">{TEXT.policy.inputGrant(apps, input)}</p>
          <TimeLeft until={new Date(until).toISOString()} />
        </div>
      ))}
    </div>
  )
}

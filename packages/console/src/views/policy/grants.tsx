import { useAct, useConsole, useDesktop } from '../../parts/context.ts'
import { Button } from '../../parts/parts.tsx'
import { Read, useReading } from '../../parts/reading.tsx'
import { TimeLeft } from '../../parts/time-left.tsx'
import { TEXT } from '../../text.ts'
import { Mode } from './mode.tsx'

/** How far real input may go, and standing permissions that answers gave, each with what is left of it. */
export function Grants() {
  const { store, api } = useConsole()
  const grants = useReading(store.api.grants, useDesktop().decided)
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

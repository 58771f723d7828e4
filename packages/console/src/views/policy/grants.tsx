import type { Grant } from '@deskhand/core/model'
import { useEffect, useState } from 'react'
import { useAct, useConsole } from '../../parts/context.ts'
import { Button } from '../../parts/parts.tsx'
import { clock } from '../../state/clock.ts'
import { TEXT } from '../../text.ts'

/** Standing permissions that answers gave, with what is left of them. */
export function Grants() {
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

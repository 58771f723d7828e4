import { useState } from 'react'
import { useAct, useConsole } from '../../parts/context.ts'
import { Button, Chip } from '../../parts/parts.tsx'
import { Read, useReading } from '../../parts/reading.tsx'
import { Snippet } from '../../parts/snippet.tsx'
import { TEXT } from '../../text.ts'

/** Who may connect to this desktop, and what their client's configuration says. */
export function Clients() {
  const { store } = useConsole()
  const [made, setMade] = useState<{ id: string; role: string; token: string }>()
  const act = useAct()
  const tokens = useReading(store.api.tokens)
  const make = (id: string, role: string): void =>
    act(async () => {
      setMade({ id, role, ...(await store.api.addToken(id, role)) })
      tokens.again()
    })
  const remove = (id: string): void =>
    act(async () => {
      await store.api.removeToken(id)
      setMade((now) => (now?.id === id ? undefined : now))
      tokens.again()
    })
  const here = { mcpServers: { deskhand: { command: 'deskhand', args: ['--name', store.api.name, 'mcp'] } } }
  return (
    <section className="panel padded rows" aria-label={TEXT.settings.clients}>
      <h2>{TEXT.settings.clients}</h2>
      <small>{TEXT.settings.clientsHint}</small>
      <Snippet text={written(here)} />
      <NewToken make={make} />
      {made !== undefined && (
        <div className="rows" role="status">
          <p className="banner warn">{TEXT.settings.tokenOnce(made.id)}</p>
          <Snippet text={made.role === 'agent' ? httpClient(store.api.name, made.token) : made.token} />
        </div>
      )}
      <Read of={tokens}>
        {(holders) =>
          holders.map(({ id, role }) => (
            <div key={id} className="acts">
              <p className="wide">
                <strong>{id}</strong> <Chip look="plain">{role ?? TEXT.settings.noRole}</Chip>
              </p>
              <Button onClick={() => remove(id)}>{TEXT.settings.removeToken}</Button>
            </div>
          ))
        }
      </Read>
    </section>
  )
}

function NewToken({ make }: { make(id: string, role: string): void }) {
  const [id, setId] = useState('')
  const [role, setRole] = useState('agent')
  return (
    <form
      className="acts"
      onSubmit={(event) => {
        event.preventDefault()
        make(id, role)
        setId('')
      }}
    >
      <input
        className="field wide"
        required
        pattern="[A-Za-z0-9_\-]{1,60}"
        aria-label={TEXT.settings.tokenFor}
        placeholder={TEXT.settings.tokenFor}
        value={id}
        onChange={(event) => setId(event.target.value)}
      />
      <select className="select" aria-label={TEXT.settings.role} value={role} onChange={(event) => setRole(event.target.value)}>
        <option value="agent">{TEXT.settings.roles.agent}</option>
        <option value="viewer">{TEXT.settings.roles.viewer}</option>
      </select>
      <Button type="submit">{TEXT.settings.makeToken}</Button>
    </form>
  )
}

function httpClient(desktop: string, token: string): string {
  const url = `${location.origin}/desktops/${encodeURIComponent(desktop)}/mcp`
  return written({ mcpServers: { deskhand: { type: 'http', url, headers: { Authorization: `Bearer ${token}` } } } })
}

/** JSON as people write it: lists on one line. */
const written = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll(/\[\s+([^[\]{}]+?)\s+\]/g, (_, inner: string) => `[${inner.replaceAll(/,\s+/g, ', ')}]`)

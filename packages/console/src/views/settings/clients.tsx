import type { TokenHolder } from '@deskhand/core/model'
import { useCallback, useEffect, useState } from 'react'
import { useAct, useConsole } from '../../parts/context.ts'
import { Button, Chip } from '../../parts/parts.tsx'
import { TEXT } from '../../text.ts'

/** Who may connect to this desktop, and what their client's configuration says. */
export function Clients() {
  const { store, api } = useConsole()
  const [holders, setHolders] = useState<readonly TokenHolder[]>([])
  const [made, setMade] = useState<{ id: string; role: string; token: string }>()
  const act = useAct()
  const read = useCallback(() => {
    if (api.mayOperate) act(async () => setHolders(await store.api.tokens()))
  }, [act, api, store])
  useEffect(read, [read])
  const make = (id: string, role: string): void =>
    act(async () => {
      setMade({ id, role, ...(await store.api.addToken(id, role)) })
      read()
    })
  const remove = (id: string): void =>
    act(async () => {
      await store.api.removeToken(id)
      setMade((now) => (now?.id === id ? undefined : now))
      read()
    })
  const here = { mcpServers: { deskhand: { command: 'deskhand', args: ['--name', store.api.name, 'mcp'] } } }
  return (
    <section className="panel padded rows" aria-label={TEXT.settings.clients}>
      <h2>{TEXT.settings.clients}</h2>
      <small>{TEXT.settings.clientsHint}</small>
      <Snippet text={JSON.stringify(here, null, 2)} />
      {api.mayOperate && <NewToken make={make} />}
      {made !== undefined && (
        <div className="rows" role="status">
          <p className="banner warn">{TEXT.settings.tokenOnce(made.id)}</p>
          <Snippet text={made.role === 'agent' ? httpClient(store.api.name, made.token) : made.token} />
        </div>
      )}
      {holders.map(({ id, role, isLocal }) => (
        <div key={id} className="acts">
          <p className="wide">
            <strong>{id}</strong> <Chip look="plain">{role ?? TEXT.settings.noRole}</Chip>
            {isLocal && <small> {TEXT.settings.localToken}</small>}
          </p>
          {!isLocal && <Button onClick={() => remove(id)}>{TEXT.settings.removeToken}</Button>}
        </div>
      ))}
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
        <option value="agent">agent</option>
        <option value="viewer">viewer</option>
      </select>
      <Button type="submit">{TEXT.settings.makeToken}</Button>
    </form>
  )
}

function Snippet({ text }: { text: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }
  return (
    <div className="snippet">
      <pre>{text}</pre>
      <Button onClick={() => void copy().catch(() => setCopied(false))}>{isCopied ? TEXT.settings.copied : TEXT.settings.copy}</Button>
    </div>
  )
}

function httpClient(desktop: string, token: string): string {
  const url = `${location.origin}/desktops/${encodeURIComponent(desktop)}/mcp`
  return JSON.stringify({ mcpServers: { deskhand: { type: 'http', url, headers: { Authorization: `Bearer ${token}` } } } }, null, 2)
}

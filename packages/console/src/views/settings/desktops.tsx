import { useState } from 'react'
import type { Api } from '../../api/client.ts'
import { useAct, useConsole, useDesktop } from '../../parts/context.ts'
import { Modal } from '../../parts/modal.tsx'
import { Button, Chip } from '../../parts/parts.tsx'
import { useReading } from '../../parts/reading.tsx'
import { TEXT } from '../../text.ts'
import { NewDesktop } from './new-desktop.tsx'

const ENDING_MS = 250
const ENDING_TRIES = 60

/** The desktops: each can be ended, another started, and an application started on the one that is looked at. */
export function Desktops() {
  const { api, store, desktops, refresh } = useConsole()
  const policy = useReading(store.api.policy)
  const [ending, setEnding] = useState<string>()
  const act = useAct()
  const isLast = desktops.length === 1
  const end = (name: string): void =>
    act(async () => {
      setEnding(undefined)
      await api.on(name).down()
      await gone(name, api)
      await refresh()
    })
  return (
    <section className="panel padded rows" aria-label={TEXT.settings.desktops}>
      <h2>{TEXT.settings.desktops}</h2>
      {desktops.map((desktop) => (
        <div key={desktop.name} className="acts">
          <p className="wide">
            <strong>{desktop.name}</strong> <Chip look="plain">{desktop.kind}</Chip>
          </p>
          {api.mayOperate && (
            <Button look="refuse" onClick={() => (isLast ? setEnding(desktop.name) : end(desktop.name))}>
              {TEXT.settings.takeDown(isLast)}
            </Button>
          )}
        </div>
      ))}
      {ending !== undefined && (
        <Modal title={`${TEXT.settings.takeDown(true)}?`} onClose={() => setEnding(undefined)}>
          <p>{TEXT.settings.endsAll(ending)}</p>
          <div className="acts">
            <Button look="danger" onClick={() => end(ending)}>
              {TEXT.settings.takeDown(true)}
            </Button>
            <Button onClick={() => setEnding(undefined)}>{TEXT.settings.cancel}</Button>
          </div>
        </Modal>
      )}
      {api.mayOperate && <NewDesktop api={api} refresh={refresh} presets={policy.value?.presets} />}
      {api.mayOperate && <StartApplication />}
    </section>
  )
}

/** A desktop that ends is listed until its process is gone. */
async function gone(name: string, api: Api): Promise<void> {
  for (let tries = ENDING_TRIES; tries > 0; tries--) {
    if (!(await api.desktops()).some((desktop) => desktop.name === name)) return
    await new Promise((done) => setTimeout(done, ENDING_MS))
  }
}

/** The person starts it themselves: decided and recorded like any other call. */
function StartApplication() {
  const { store } = useConsole()
  const { info } = useDesktop()
  const [app, setApp] = useState('')
  const [started, setStarted] = useState('')
  const act = useAct()
  const can = info?.can['step:launch']
  if (can?.ok !== true) return <small>{TEXT.settings.noLaunch(store.api.name)}</small>
  return (
    <form
      className="acts"
      onSubmit={(event) => {
        event.preventDefault()
        act(async () => {
          const [command = '', ...args] = app.trim().split(/\s+/)
          await store.api.call('desktop.launch', { app: command, args })
          setStarted(command)
          setApp('')
        })
      }}
    >
      <input
        className="field wide mono"
        required
        aria-label={TEXT.settings.app}
        placeholder={TEXT.settings.app}
        value={app}
        onChange={(e) => setApp(e.target.value)}
      />
      <Button type="submit">{TEXT.settings.startApp(store.api.name)}</Button>
      {started !== '' && <small role="status">{TEXT.settings.startedApp(started)}</small>}
    </form>
  )
}

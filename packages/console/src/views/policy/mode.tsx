import type { DesktopInfo, InputGrant } from '@deskhand/core/model'
import { useState } from 'react'
import { useAct, useConsole, useDesktop } from '../../parts/context.ts'
import { Modal } from '../../parts/modal.tsx'
import { Button } from '../../parts/parts.tsx'
import { TimeLeft } from '../../parts/time-left.tsx'
import { TEXT } from '../../text.ts'

type ModeName = DesktopInfo['mode']
const MODES: readonly ModeName[] = ['simulation_only', 'allow_actual_input_restricted', 'allow_actual_input_full']

/** How far real input may go. More of it is confirmed first; less counts at once. */
export function Mode() {
  const { store, api } = useConsole()
  const { info } = useDesktop()
  const [wanted, setWanted] = useState<ModeName>()
  const act = useAct()
  if (info === undefined) return null
  const granted = info.inputGrants ?? []
  const isRestricted = info.mode === 'allow_actual_input_restricted'
  const choose = (mode: ModeName): void =>
    MODES.indexOf(mode) < MODES.indexOf(info.mode) && mode === 'simulation_only' ? act(() => store.api.mode(mode)) : setWanted(mode)
  return (
    <div className="rows">
      <label className="acts">
        {TEXT.settings.mode}
        <select
          className="select wide"
          value={info.mode}
          disabled={!api.mayOperate}
          onChange={(event) => {
            const mode = MODES.find((one) => one === event.target.value)
            if (mode !== undefined) choose(mode)
          }}
        >
          {MODES.map((mode) => (
            <option key={mode} value={mode}>
              {TEXT.modes[mode]}
            </option>
          ))}
        </select>
      </label>
      {granted.map(({ apps, input, until }, i) => (
        <div key={i} className="acts">
          <p className="wide">{TEXT.policy.inputGrant(apps, input)}</p>
          <TimeLeft until={new Date(until).toISOString()} />
        </div>
      ))}
      {isRestricted && api.mayOperate && (
        <div className="acts">
          <Button onClick={() => setWanted('allow_actual_input_restricted')}>{TEXT.mode.another}</Button>
        </div>
      )}
      {wanted === 'allow_actual_input_full' && <FullInput onClose={() => setWanted(undefined)} />}
      {wanted === 'allow_actual_input_restricted' && (
        <RestrictedInput granted={isRestricted ? granted : []} onClose={() => setWanted(undefined)} />
      )}
    </div>
  )
}

function FullInput({ onClose }: { onClose(): void }) {
  const { store } = useConsole()
  const act = useAct()
  const agree = (): void =>
    act(async () => {
      await store.api.mode('allow_actual_input_full')
      onClose()
    })
  return (
    <Modal title={TEXT.mode.fullTitle} onClose={onClose}>
      <p>{TEXT.mode.full(store.api.name)}</p>
      <div className="acts">
        <Button look="danger" onClick={agree}>
          {TEXT.mode.allowFull}
        </Button>
        <Button onClick={onClose}>{TEXT.mode.cancel}</Button>
      </div>
    </Modal>
  )
}

const INPUTS: readonly InputGrant['input'][] = ['any', 'keyboard', 'mouse']
const USUAL_MINUTES = '15'

/** One more permission; those that were given before and still hold are kept. */
function RestrictedInput({ granted, onClose }: { granted: readonly InputGrant[]; onClose(): void }) {
  const { store } = useConsole()
  const [apps, setApps] = useState('')
  const [input, setInput] = useState<InputGrant['input']>('any')
  const [minutes, setMinutes] = useState(USUAL_MINUTES)
  const act = useAct()
  const agree = (): void =>
    act(async () => {
      const now = Date.now()
      const named = apps.split(',').flatMap((app) => (app.trim() === '' ? [] : [app.trim()]))
      const grant = { apps: named, input, until: now + Number(minutes) * 60_000 }
      await store.api.mode('allow_actual_input_restricted', [...granted.filter(({ until }) => until > now), grant])
      onClose()
    })
  return (
    <Modal title={TEXT.mode.restrictedTitle} onClose={onClose}>
      <p>{TEXT.mode.restricted(store.api.name)}</p>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          agree()
        }}
      >
        <label>
          {TEXT.mode.apps}
          <input
            className="field wide mono"
            required
            pattern=".*[^\\s,].*"
            placeholder="mousepad, libreoffice*"
            value={apps}
            onChange={(event) => setApps(event.target.value)}
          />
        </label>
        <label>
          {TEXT.mode.by}
          <select
            className="select"
            value={input}
            onChange={(event) => setInput(INPUTS.find((one) => one === event.target.value) ?? 'any')}
          >
            {INPUTS.map((one) => (
              <option key={one} value={one}>
                {TEXT.mode.inputs[one]}
              </option>
            ))}
          </select>
        </label>
        <label>
          {TEXT.mode.minutes}
          <input
            className="field"
            type="number"
            required
            min={1}
            max={1_440}
            value={minutes}
            onChange={(event) => setMinutes(event.target.value)}
          />
        </label>
        <div className="acts">
          <Button type="submit" look="danger">
            {TEXT.mode.allowRestricted}
          </Button>
          <Button onClick={onClose}>{TEXT.mode.cancel}</Button>
        </div>
      </form>
    </Modal>
  )
}

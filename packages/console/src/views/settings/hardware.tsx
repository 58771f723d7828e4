import { useCallback } from 'react'
import { useConsole, useDesktop } from '../../parts/context.ts'
import { Read, useReading } from '../../parts/reading.tsx'
import { TEXT } from '../../text.ts'
import { Facts } from './facts.tsx'

/** What a simulated desktop shows its agent as hardware at the moment. */
export function Hardware() {
  return useDesktop().info?.kind === 'virtual' ? <Shown /> : null
}

function Shown() {
  const { store } = useConsole()
  const read = useCallback(async () => hardwareIn((await store.api.call('avis.get_simulation_state', {})).data), [store])
  const found = useReading(read)
  return (
    <div>
      <h3>{TEXT.settings.parts.hardware}</h3>
      <Read of={found}>
        {(details) => (details === null ? <p>{TEXT.settings.noHardware}</p> : <Facts part="hardware" said={details} />)}
      </Read>
    </div>
  )
}

function hardwareIn(state: unknown): object | null {
  if (typeof state !== 'object' || state === null || !('current_sim_hardware_status' in state)) return null
  const { details } = state.current_sim_hardware_status as { details: object | null }
  return details
}

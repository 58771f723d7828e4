import type { DesktopKind } from '../model/index.ts'
import type { Human } from './human/human.ts'
import { LOOKED, type Outcome } from './outcome.ts'
import type { Ports } from './ports.ts'
import type { DriverState } from './see/driver-state.ts'

interface CapabilityNeeds {
  desktop: DesktopKind
  driver: DriverState
  human: Human
  formats: Ports['formats']
  features: Ports['features']
  otherDrivers: Ports['otherDrivers']
}

/** What this desktop can do, and what is missing and why. */
export async function capabilities(on: CapabilityNeeds): Promise<Outcome> {
  const { kind, name, version, can, desktop } = on.driver.info
  const formats = (await on.formats?.()) ?? {}
  const features = on.features?.() ?? {}
  const human = on.human.state
  const others = on.otherDrivers?.() ?? []
  const drivers = [{ kind, name, version, available: true, can }, ...others]
  const named = [
    ...Object.entries(can),
    ...Object.entries(formats).map(([format, c]) => [`format:${format}`, c] as const),
    ...Object.entries(features),
  ]
  const lines = named.map(([cap, c]) =>
    c.ok
      ? `${cap}: yes${c.lacks === undefined ? '' : `; ${c.lacks}`}`
      : `${cap}: no, ${c.reason}${c.fix === undefined ? '' : ` (${c.fix})`}`,
  )
  const person = human.since === undefined ? 'nobody' : `since ${human.since}${human.paused ? ', so input waits' : ''}`
  return {
    ...LOOKED,
    data: { desktop, kind: on.desktop, drivers, formats, features, human },
    text: [
      `${name} ${version} on ${desktop}`,
      ...lines,
      `person at the controls: ${person} (mode ${human.mode})`,
      ...others.map(
        (o) => `driver ${o.kind}: ${o.available ? 'could be used here' : `no, ${o.reason}${o.fix === undefined ? '' : ` (${o.fix})`}`}`,
      ),
    ].join('\n'),
  }
}

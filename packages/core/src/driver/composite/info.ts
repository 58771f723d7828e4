import { CAPS, type DriverInfo } from '../driver.ts'
import type { Parts } from './part.ts'

/** What the drivers are and can do together. The preferred one names the desktop and the kind. */
export function mergeInfo(parts: Parts): DriverInfo {
  const infos = parts.all.map((p) => p.info)
  const [first] = infos
  if (first === undefined) throw new RangeError('a composite needs a driver')
  return {
    protocol: first.protocol,
    kind: first.kind,
    name: infos.map((i) => i.name).join('+'),
    version: infos.map((i) => i.version).join('+'),
    prefixes: [...new Set(infos.flatMap((i) => i.prefixes))],
    desktop: first.desktop,
    epoch: infos.map((i) => i.epoch).join('+'),
    can: Object.fromEntries(CAPS.map((name) => [name, parts.cap(name)])) as DriverInfo['can'],
    ...(first.airbag !== undefined && { airbag: first.airbag }),
    parts: infos.flatMap(({ parts: inner, kind, name, version, prefixes }) => inner ?? [{ kind, name, version, prefixes }]),
  }
}

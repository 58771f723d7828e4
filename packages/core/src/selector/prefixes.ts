import type { UiNode } from '../model/index.ts'
import type { IdKey, TextKey } from './ast.ts'

/** Which kinds of driver claim a prefix. */
export type Prefixes = ReadonlyMap<string, readonly string[]>

/** A node with one of these ids matches the prefix, unless its driver is known and says otherwise. */
const IDS = new Map<string, readonly IdKey[]>([
  ['atspi', ['atspiPath']],
  ['uia', ['automationId', 'runtimeId']],
  ['win32', ['legacyId']],
  ['ax', ['axId']],
  ['sap', ['sapId']],
  ['virtual', ['virtualId']],
])

/** The prefixes that every selector may use, whatever drivers there are. */
export const KNOWN_PREFIXES: readonly string[] = ['any', ...IDS.keys(), 'ocr', 'image']

/** The prefixes of a desktop, from what its drivers say of themselves. */
export function prefixesOf(drivers: readonly { kind: string; prefixes?: readonly string[] }[]): Prefixes {
  const claims = new Map<string, string[]>()
  for (const { kind, prefixes = [] } of drivers) for (const prefix of prefixes) claims.set(prefix, [...(claims.get(prefix) ?? []), kind])
  return claims
}

/** Whether a node comes from a driver that the prefix names. `driver` is the kind behind nodes that do not name theirs. */
export function serves(prefix: string, { driver, prefixes }: { driver?: string; prefixes?: Prefixes }): (node: UiNode) => boolean {
  if (prefix === 'any') return () => true
  if (prefix === 'ocr' || prefix === 'image') return () => false
  const claims = prefixes?.get(prefix)
  const isAll = driver !== undefined && (driver === prefix || claims?.includes(driver) === true)
  const ids = IDS.get(prefix) ?? []
  return (node) => {
    if (node.driver === undefined) return isAll || ids.some((id) => node.platformIds?.[id] !== undefined)
    // Ids may look alike; a driver that says which prefixes are its own is believed.
    if (claims) return claims.includes(node.driver)
    return node.driver === prefix || ids.some((id) => node.platformIds?.[id] !== undefined)
  }
}

/** What a bare text means after a prefix. */
export function bareKey(prefix: string): TextKey {
  if (prefix === 'sap') return 'sapId'
  return prefix === 'image' ? 'attr.image' : 'text'
}

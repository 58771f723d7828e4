import { within, type Observe } from '../../driver/driver.ts'
import type { FlatNode } from '../../model/index.ts'

const CHECK_MS = 3_000

/** What the application itself says of these nodes, in the same order; undefined for what is gone or has no key. */
export async function checkAll(observe: Observe, keys: readonly (string | undefined)[]): Promise<(FlatNode | undefined)[]> {
  const real = keys.filter((k) => k !== undefined)
  if (real.length === 0) return keys.map(() => undefined)
  const nodes = await observe.check(real, within(CHECK_MS))
  if (real.length === keys.length) return keys.map((_, i) => nodes[i] ?? undefined)
  const byKey = new Map(real.map((k, i) => [k, nodes[i] ?? undefined]))
  return keys.map((k) => (k === undefined ? undefined : byKey.get(k)))
}

export async function check(observe: Observe, key: string | undefined): Promise<FlatNode | undefined> {
  return (await checkAll(observe, [key]))[0]
}

import { DeskhandError } from '../../errors.ts'
import type { UiTree } from '../../model/index.ts'
import { parse, type Prefixes } from '../../selector/index.ts'

/** DRIVER_DEAD where the driver that told of an element is down; undefined where the element went by itself. */
export function downOf(driver: string | undefined, what: string, { completeness }: UiTree): DeskhandError | undefined {
  const reason = driver === undefined ? undefined : completeness.reasons.find((r) => r.driver === driver)
  return reason && new DeskhandError('DRIVER_DEAD', `${what}: ${reason.detail}`, { details: { driver } })
}

/** The same for a selector that asks only for elements of drivers that are down. */
export function downFor(selector: string, tree: UiTree, prefixes: Prefixes): DeskhandError | undefined {
  const asked = parse(selector, prefixes).alternatives.map(({ first }) => prefixes.get(first.prefix) ?? [])
  if (asked.some((kinds) => kinds.length === 0 || !kinds.every((kind) => downOf(kind, '', tree) !== undefined))) return undefined
  return downOf(asked[0]?.[0], selector, tree)
}

/** Whether a driver that is down is why something was not found; it may be back in a moment. */
export const isDown = ({ code, details }: DeskhandError): boolean => code === 'DRIVER_DEAD' && Object(details)['driver'] !== undefined

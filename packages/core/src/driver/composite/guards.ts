import type { Ctx, Guard, Sent } from '../driver.ts'
import type { MergedObserve } from './merged-observe.ts'
import type { Part, Parts } from './part.ts'

/** A guard about a node of another driver than the one that carries out the step; its keys are the other driver's own. */
export interface Elsewhere {
  part: Part
  guard: Guard
}

interface Split {
  own: Guard
  elsewhere: Elsewhere[]
  /** The guard that names a node of no driver. */
  unknown: keyof Guard | undefined
}

/** Which driver has to check which part of a guard. */
export function splitGuard(parts: Parts, part: Part, guard: Guard, humanPart: Part | undefined): Split {
  const split: Split = { own: {}, elsewhere: [], unknown: undefined }
  const give = (owner: Part | undefined, name: keyof Guard, guarded: (owner: Part) => Guard): void => {
    if (owner === undefined) split.unknown ??= name
    else if (owner === part) Object.assign(split.own, guarded(owner))
    else split.elsewhere.push({ part: owner, guard: guarded(owner) })
  }
  const { window, focus, hit, human } = guard
  if (window !== undefined) give(parts.ownerOf(window), 'window', (p) => ({ window: p.inner(window) }))
  if (focus !== undefined) give(parts.ownerOf(focus), 'focus', (p) => ({ focus: p.inner(focus) }))
  if (hit?.key !== undefined) {
    const { key } = hit
    give(parts.ownerOf(key), 'hit', (p) => ({ hit: { ...hit, key: p.inner(key) } }))
  } else if (hit !== undefined) for (const one of parts.all) if (one === part || one.can('hit')) give(one, 'hit', () => ({ hit }))
  if (human !== undefined && humanPart !== undefined) give(humanPart, 'human', () => ({ human }))
  return split
}

/** The guard that another driver finds broken. It is asked by a step that does nothing, where it can take one. */
export async function brokenElsewhere(
  { part, guard }: Elsewhere,
  observe: MergedObserve,
  probe: (part: Part, guard: Guard) => Promise<Sent>,
  ctx: Ctx,
): Promise<keyof Guard | undefined> {
  const { window, focus, hit, human } = guard
  if (hit?.key !== undefined) {
    // A driver may not see what lies over its own window.
    const over = await observe.hit(hit.at, ctx)
    if (!part.owns(over.node ?? over.window ?? '')) return 'hit'
  }
  if (part.can('step:keys')) return (await probe(part, guard)).broken
  const { observe: own } = part.driver
  const states = async (key: string) => (await own.check([key], ctx))[0]?.states
  if (window !== undefined && (await states(window))?.active !== true) return 'window'
  if (focus !== undefined && (await states(focus))?.focused !== true) return 'focus'
  if (hit !== undefined && (await own.hit(hit.at, ctx)).node !== hit.key) return 'hit'
  if (human !== undefined) {
    const { moves, buttons, keys } = (await own.watch('input', undefined, 0, ctx)).human
    if (moves + buttons + keys > human) return 'human'
  }
  return undefined
}

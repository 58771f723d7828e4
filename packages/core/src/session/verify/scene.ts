import type { Condition, Judgement, Principal, Target, UiNode } from '../../model/index.ts'
import type { Resolver } from '../see/resolve.ts'
import type { See } from '../see/see.ts'
import { evaluate, targetsOf, type Before } from './conditions.ts'

interface SceneNeeds {
  see: See
  resolver: Resolver
}

/** Looks once whether a condition holds for this caller. */
export async function look(
  on: SceneNeeds,
  condition: Condition,
  who: Principal,
  about: { own?: UiNode; before?: Before } = {},
): Promise<Judgement> {
  const found = await namedBy(on, condition, who)
  return evaluate(condition, { tree: on.see(who), found, ...about })
}

/** What each target of a condition names now. */
export async function namedBy(on: SceneNeeds, condition: Condition, who: Principal): Promise<Map<Target, UiNode[]>> {
  const found = new Map<Target, UiNode[]>()
  for (const target of targetsOf(condition)) found.set(target, await on.resolver.find(target, who))
  return found
}

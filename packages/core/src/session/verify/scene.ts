import type { Condition, Judgement, Principal, Target, UiNode } from '../../model/index.ts'
import type { Resolver } from '../see/resolve.ts'
import type { See } from '../see/see.ts'
import { evaluate, targetsOf, type Before } from './conditions.ts'

interface SceneNeeds {
  see: See
  resolver: Resolver
  sight?: {
    /** Whether a window tells nothing of itself, so that no change of the tree tells what becomes of it. */
    isNeeded(who: Principal): boolean
    /** What can be read on the screen then. */
    read(who: Principal): Promise<readonly string[]> | undefined
  }
}

/** Looks once whether a condition holds for this caller. */
export async function look(
  on: SceneNeeds,
  condition: Condition,
  who: Principal,
  about: { own?: UiNode; before?: Before } = {},
): Promise<Judgement> {
  const found = await namedBy(on, condition, who)
  const judgement = evaluate(condition, { tree: on.see(who), found, ...about })
  const unseen = on.sight?.isNeeded(who) === true ? { ...judgement, seen: true } : judgement
  if (judgement.holds === true || !asksForText(condition)) return unseen
  const reading = on.sight?.read(who)
  if (reading === undefined) return unseen
  const read = await reading
  return { ...evaluate(condition, { tree: on.see(who), found, read, ...about }), seen: true }
}

function asksForText({ text, any = [], not, uiState }: Condition): boolean {
  if (text !== undefined || any.some(asksForText) || (not !== undefined && asksForText(not))) return true
  return uiState?.target !== undefined && 'selector' in uiState.target && /\bocr:/.test(uiState.target.selector)
}

/** What each target of a condition names now. */
export async function namedBy(on: SceneNeeds, condition: Condition, who: Principal): Promise<Map<Target, UiNode[]>> {
  const found = new Map<Target, UiNode[]>()
  for (const target of targetsOf(condition)) found.set(target, await on.resolver.find(target, who))
  return found
}

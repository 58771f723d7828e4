import type { Completeness } from '@deskhand/core/model'
import { type App, silenceOf } from './app.ts'

/** Why what is known of an application is not all there is. */
export function shortfallsOf(app: App, isBehind: boolean): Completeness['reasons'] {
  const { id, name } = app.identity
  const reasons: Completeness['reasons'] = []
  const add = (kind: Completeness['reasons'][number]['kind'], detail: string): void => void reasons.push({ kind, app: id, detail })
  if (app.hung) add('hung', `${name} ${silenceOf(app)}`)
  if (app.hung && !app.isRead) add('degraded', `${name} was never read whole`)
  else if (!app.hung && (!app.isRead || isBehind || app.unread > 0)) add('truncated', underWay(app))
  if (app.truncated !== undefined) add('truncated', `${name}: ${app.truncated}`)
  return reasons
}

const underWay = ({ identity: { name }, isRead, nodes, unread }: App): string =>
  isRead && unread > 0
    ? `${name}: the values of ${unread} elements out of view are still being read`
    : `${name} is still being read, what is in view first: ${nodes.size} elements so far`

/** What is missing of whom, without the figures. */
export const shapeOf = ({ reasons }: Completeness): string => reasons.map(({ kind, app = '' }) => `${kind} ${app}`).join()

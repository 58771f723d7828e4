import type { App } from './app.ts'
import { loadDetails, unreadValues } from './details.ts'
import type { MirrorNode } from './node.ts'

/** So many values are read at a time of what an application does not show. */
const PART = 100

/** So much of what is not shown is told at a time, as readers wait for that. */
const TOLD = 5_000

/** What has been read since this was last called of something that takes long: first what is shown, in full, then of the rest what it is. */
export async function foundSoFar(app: App): Promise<MirrorNode[]> {
  const shown = app.found.filter((n) => n.isShown)
  if (shown.length === 0) return app.found.splice(0, TOLD)
  app.found = app.found.filter((n) => !n.isShown)
  await loadDetails(app, shown, { bounds: true, actions: true, value: true })
  return shown
}

/**
 * The values of what a large application does not show, a few at a time: everything else is served in between. True when it read any;
 * false also where that is being done already, which takes in what has come since it began.
 */
export async function readRest(app: App, touch: (node: MirrorNode) => void): Promise<boolean> {
  if (!app.isLarge || app.unread > 0) return false
  let rest = unreadValues(app)
  if (rest.length === 0) return false
  for (app.unread = rest.length; rest.length > 0 && !app.hung && !app.isClosed; app.unread = rest.length) {
    const part = rest.splice(0, PART)
    await loadDetails(app, part, { value: true })
    part.forEach(touch)
    if (rest.length === 0) rest = unreadValues(app)
  }
  app.unread = 0
  return true
}

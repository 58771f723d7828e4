import type { App } from './app.ts'
import { childPaths } from './children.ts'
import { loadDetails } from './details.ts'
import { inView } from './in-view.ts'
import type { MirrorNode } from './node.ts'
import { RANK } from './slots.ts'
import { hasState } from './states.ts'
import { adopt, IN_VIEW, MANY, meet } from './walk.ts'

/** So long what is in view is looked for at most, and so many elements of it are read. */
const GLIMPSE_MS = 2_000
const MOST = 1_000

/**
 * Reads what an application shows before it is asked for all that it has, over which it answers nothing else for a while. What is out of view is listed and
 * stays unread.
 */
export async function glimpse(app: App, ms = GLIMPSE_MS): Promise<void> {
  const end = performance.now() + ms
  let count = 0
  const visit = async (path: string, parent: MirrorNode | undefined): Promise<void> => {
    if (count++ > MOST || performance.now() > end) return
    const node = await app.slots.run(() => meet(app, path, parent, IN_VIEW), RANK.inView)
    if (node === undefined || (path !== app.root && !hasState(node, 'showing'))) return
    const details = loadDetails(app, [node], { bounds: true, actions: true, value: true })
    const paths = await childPaths(app, node, node.claimed)
    adopt(app, node, paths)
    node.foreign = paths.length - node.children.length
    const { children } = node
    const shown = children.length <= MANY ? children : await inView(app, node, children)
    await Promise.all([details, ...shown.map((child) => visit(child.path, node).catch(() => {}))])
  }
  await visit(app.root, undefined).catch(() => {})
}

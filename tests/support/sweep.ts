import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { markOf } from '../../packages/deskhand/src/desktop/environment.ts'
import { endAll, search } from '../../packages/deskhand/src/desktop/process.ts'
import { listSandboxes, reap } from '../../packages/deskhand/src/desktop/takedown.ts'

/** No test needs a desktop for so long; a younger one may be some other run's, in the middle of being left on purpose. */
const OLD_MS = 15 * 60_000

/** Before the tests: takes down the desktops of runs that were killed, by what they wrote down. */
export async function setup(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((n) => n.startsWith('dh-'))) {
    const folder = join(tmpdir(), name)
    // What another user wrote down names processes that are none of ours.
    if (statSync(folder, { throwIfNoEntry: false })?.uid !== process.getuid?.()) continue
    const [, session] = /^dh-session-([0-9a-f]+)-/.exec(name) ?? []
    if (session !== undefined && Date.now() - statSync(folder).mtimeMs >= OLD_MS) {
      await endAll(search(markOf(session)), 500).catch(() => {})
      rmSync(folder, { recursive: true, force: true })
      continue
    }
    for (const states of [folder, join(folder, 'sandboxes'), join(folder, 'state', 'sandboxes')]) {
      if (!existsSync(states) || Date.now() - statSync(states).mtimeMs < OLD_MS) continue
      const ended = await reap(states).catch(() => [])
      if (ended.length > 0 && listSandboxes(states).length === 0) rmSync(folder, { recursive: true, force: true })
    }
  }
}

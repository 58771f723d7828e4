import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll } from 'vitest'
import { Code } from '../../packages/deskhand/src/code/engine.ts'
import { realDesk, type RealDesk } from './governed.ts'
import { fixture, PYTHON } from './linux.ts'
import { describeRoutes, POLICY, type NoRoute } from './routes.ts'

const SETTLE_MS = 500

/** The routes on a fixture program of a real desktop, which writes what happens to it into a file. */
export function describeRealRoutes(program: string, absent: NoRoute): void {
  let d: RealDesk
  let code: Code
  let dir: string
  const lines = async (): Promise<string[]> => (await readFile(join(dir, 'log'), 'utf8').catch(() => '')).split('\n').slice(0, -1)
  /** Until the application writes nothing more: GTK presses a button a quarter of a second after the key. */
  const settle = async (): Promise<void> => {
    for (let before = -1, now = (await lines()).length; now !== before; now = (await lines()).length) {
      before = now
      await sleep(SETTLE_MS)
    }
  }
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'dh-routes-'))
    code = new Code({ projectRoot: import.meta.dirname, timeoutSeconds: 60 })
    d = await realDesk({ policy: POLICY, ports: { code } })
    await d.show('Routes', PYTHON, [fixture(program), join(dir, 'log')])
  })
  afterAll(async () => {
    await d?.close()
    await code?.close()
    await rm(dir, { recursive: true, force: true })
  })
  describeRoutes(
    () => ({
      session: d.session,
      log: lines,
      settle,
      reset: async () => {
        await d.call('ui.click', { target: 'role!=label && name="Red"' })
        await settle()
      },
    }),
    absent,
  )
}

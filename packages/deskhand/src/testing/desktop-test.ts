import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import type { ConfigInput } from '../config.ts'
import { open, type Opened, type OpenOptions } from '../wiring/open.ts'
import { mustKnow } from './known-options.ts'
import { attach, whenGivenUp, type RunnerContext } from './attach.ts'
import { TimeLimit } from './time-limit.ts'

export interface TestDesktop {
  /** What a simulated desktop shows: a file, or its contents. */
  ui?: string | object
  /** A real desktop of its own instead (Linux). */
  sandbox?: boolean
  /** Programs to start before the test, each once the one before shows a window: `[['mousepad', 'notes.txt']]`. */
  launch?: [program: string, ...args: string[]][]
  /** Rules, as the text of a policy file; the desktop is free without. */
  policy?: string
  /** Answers questions that the policy has. */
  approve?: OpenOptions['approve']
  /** Anything else that deskhand.toml could say. */
  config?: ConfigInput
}

export interface DesktopFixture {
  desk: Opened
  /** One more desktop beside it, which ends with the test. */
  open(options?: TestDesktop): Promise<Opened>
}

/**
 * A test with a fresh desktop of its own, for vitest and node:test alike: `test('saves', desktopTest({ ui }, async ({ desk }) => …))`.
 * When it fails, a picture, an outline and the record of every desktop are left in `test-results/<file, suites and name>/`, or below the folder that
 * DESKHAND_TEST_RESULTS names, and the failure says so.
 */
export function desktopTest(
  options: TestDesktop,
  body: (fixture: DesktopFixture) => Promise<unknown>,
): (context?: unknown) => Promise<void> {
  return async (given) => {
    const context = (given ?? {}) as RunnerContext
    const limit = new TimeLimit(context)
    const opened: Opened[] = []
    const also = async (more: TestDesktop = {}): Promise<Opened> => {
      const desk = await openDesktop(more, limit)
      opened.push(desk)
      if (context.signal?.aborted) await desk.close()
      return desk
    }
    let failure: string | undefined
    const undo = whenGivenUp(context, () => failure ?? limit.running)
    try {
      await Promise.race([also(options).then((desk) => body({ desk, open: also })), outOfTime(context)])
    } catch (thrown) {
      failure = DeskhandError.from(thrown).message
      throw await attach(thrown, opened, context)
    } finally {
      await Promise.all(opened.map((desk) => desk.close()))
      undo()
    }
  }
}

/** Rejects when the runner gives the test up, so that its desktops are looked at and taken down all the same. */
function outOfTime({ signal }: RunnerContext): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true }))
}

/** A fresh desktop for a test that closes it itself. */
export function openTestDesktop(options: TestDesktop = {}): Promise<Opened> {
  return openDesktop(options, new TimeLimit({}))
}

const KNOWN: Record<keyof TestDesktop, true> = { ui: true, sandbox: true, launch: true, policy: true, approve: true, config: true }

async function openDesktop(options: TestDesktop, limit: TimeLimit): Promise<Opened> {
  mustKnow(options, Object.keys(KNOWN), 'a test desktop')
  const { ui, sandbox, launch = [], policy, approve, config = {} } = options
  const dir = mkdtempSync(join(tmpdir(), 'deskhand-test-'))
  const written = (name: string, text: string): string => {
    writeFileSync(join(dir, name), text, { mode: 0o600 })
    return join(dir, name)
  }
  try {
    const desktop: ConfigInput['desktop'] = { kind: sandbox ? 'sandbox' : 'virtual', ...config.desktop }
    if (ui !== undefined) desktop.ui = typeof ui === 'string' ? ui : written('ui.json', JSON.stringify(ui))
    const rules: ConfigInput['policy'] = { mode: sandbox ? 'allow_actual_input_full' : undefined, ...config.policy }
    if (policy !== undefined) rules.files = [...(rules.files ?? []), written('policy.toml', policy)]
    // Sandboxes of killed runs are taken down by the next one, so all share the folder in which they are written down.
    const state = config.state ?? join(tmpdir(), `deskhand-tests-${userInfo().username}`)
    const desk = limit.bound(await open({ config: { ...config, desktop, policy: rules, state }, approve }))
    try {
      for (const [app, ...args] of launch) {
        const { error } = await desk.call('desktop.launch', { app, args, timeoutMs: 60_000 })
        if (error !== undefined) throw DeskhandError.revive(error)
      }
    } catch (thrown) {
      await desk.close()
      throw thrown
    }
    return desk
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture, PYTHON } from '../support/linux.ts'

const CLICKS = 40

describeDesktop('a window that lets input through now and then to another application below it', { timeout: 240_000 }, () => {
  let d: RealDesk
  let dir: string
  const log = async (): Promise<string[]> =>
    (await readFile(join(dir, 'log'), 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'dh-overlay-'))
    d = await realDesk()
  })
  afterAll(async () => {
    await d.close()
    await rm(dir, { recursive: true, force: true })
  })

  /** How often Next was clicked, and how often what was judged as Next pressed what lies below. */
  const attack = async (): Promise<{ next: number; wrong: number }> => {
    await d.show('Account', PYTHON, [fixture('overlay_gtk3.py'), 'account', join(dir, 'log')])
    await d.show('Wizard', PYTHON, [fixture('overlay_gtk3.py'), 'wizard', join(dir, 'log')])
    await d.call('ui.wait', { until: { uiState: { target: 'role=button && name="Next"', visible: true } }, timeoutMs: 20_000 })
    for (let i = 0; i < CLICKS; i++) await d.call('ui.click', { target: 'role=button && name="Next"', timeoutMs: 2_000 })
    await sleep(1_000)
    const lines = await log()
    return {
      next: lines.filter((line) => line === 'clicked Next').length,
      wrong: lines.filter((line) => line === 'pressed Delete account').length,
    }
  }

  test('gets through none of the clicks that were judged as its own', async () => {
    const { next, wrong } = await attack()
    expect({ wrong, some: next > CLICKS / 4 }).toEqual({ wrong: 0, some: true })
  })
})

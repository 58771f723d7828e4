import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Principal, Result } from '@deskhand/core/model'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dispatch } from '../../packages/deskhand/src/tools/dispatch.ts'
import { Code } from '../../packages/deskhand/src/code/engine.ts'
import { placeIn } from '../support/desk.ts'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture, PYTHON } from '../support/linux.ts'

const FREE: Principal = { id: 'free', role: 'agent' }
const DENIED: Principal = { id: 'denied', role: 'agent' }
/** May take the card nowhere, and close nothing. */
const HELD: Principal = { id: 'held', role: 'agent' }
const POLICY = `
[[rule]]
toolName = "ui.drag"
subagent = "denied"
decision = "deny"
priority = 900
when = { name = "Shred" }

[[rule]]
toolName = ["ui.drag", "ui.window"]
subagent = "held"
decision = "deny"
priority = 900
when = { window = "Drop" }
`

describeDesktop('what lies under the release of a drag', { timeout: 120_000 }, () => {
  let d: RealDesk
  let code: Code
  let dir: string
  const dropped = async (): Promise<string[]> =>
    (await readFile(join(dir, 'log'), 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')
  const as = (who: Principal, tool: string, args: unknown): Promise<Result> => dispatch({ session: d.session }, who, tool, args)
  const drag = (who: Principal, to: string): Promise<Result> =>
    as(who, 'ui.drag', { from: 'role=button && name="Card"', to: `role=button && name="${to}"`, durationMs: 300 })
  const middle = async (name: string): Promise<string> => {
    const { x, y, w, h } = placeIn(await as(FREE, 'ui.query', { selector: `role=button && name="${name}"` }))
    return `${Math.round(x + w / 2)}, ${Math.round(y + h / 2)}`
  }
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'dh-drop-'))
    code = new Code({ projectRoot: import.meta.dirname, timeoutSeconds: 60 })
    d = await realDesk({ policy: POLICY, ports: { code } })
    await d.show('Drop', PYTHON, [fixture('drop_gtk3.py'), join(dir, 'log')])
  })
  afterAll(async () => {
    await d.close()
    await code.close()
    await rm(dir, { recursive: true, force: true })
  })

  test('is what was judged where nothing changes', async () => {
    expect(await drag(DENIED, 'Stay')).toMatchObject({ status: 'success' })
    await expect.poll(dropped, { timeout: 5_000 }).toEqual(['Stay'])
  })

  test.each([
    ['another element', 'Keep'],
    ['the same under another name', 'Keep too'],
  ])('is judged anew where %s lies there by then', async (_, zone) => {
    const before = (await dropped()).length
    expect(await drag(DENIED, zone)).toMatchObject({
      status: 'error',
      error: { code: 'GUARD_BROKEN', message: expect.stringContaining('under the pointer came button "Shred"') },
    })
    await sleep(1_000)
    expect((await dropped()).slice(before)).toEqual([])
    expect(await drag(FREE, zone)).toMatchObject({ status: 'success' })
    await expect.poll(dropped, { timeout: 5_000 }).toHaveLength(before + 1)
    expect((await dropped()).at(-1)).toBe('Shred')
  })

  test('is judged when a script lets go', async () => {
    const script = `pyautogui.moveTo(${await middle('Card')})\npyautogui.dragTo(${await middle('Keep')}, 0.3)`
    const before = (await dropped()).length
    await as(DENIED, 'script.run', { script })
    await sleep(1_000)
    expect((await dropped()).slice(before)).toEqual([])
    expect(await as(FREE, 'script.run', { script })).toMatchObject({ status: 'success' })
    await expect.poll(dropped, { timeout: 5_000 }).toHaveLength(before + 1)
  })

  test('is the end of what a script pressed in a call before', async () => {
    const script = `pyautogui.mouseDown(${await middle('Card')})\npyautogui.moveTo(${await middle('Stay')}, duration=0.3)\npyautogui.mouseUp()`
    const before = (await dropped()).length
    await as(HELD, 'script.run', { script })
    await sleep(1_000)
    expect((await dropped()).slice(before)).toEqual([])
    expect(await as(FREE, 'script.run', { script })).toMatchObject({ status: 'success' })
    await expect.poll(dropped, { timeout: 5_000 }).toHaveLength(before + 1)
  })

  test('and a key is one with those that a script holds down', async () => {
    const script = "pyautogui.keyDown('alt')\npyautogui.press('f4')\npyautogui.keyUp('alt')"
    const windows = (): string[] => d.ask('xdotool', 'search', '--onlyvisible', '--name', '.').trim().split('\n')
    const before = windows()
    await as(HELD, 'script.run', { script })
    await sleep(1_000)
    expect(windows()).toEqual(before)
    await as(FREE, 'script.run', { script })
    await expect.poll(() => windows().length, { timeout: 10_000 }).toBeLessThan(before.length)
  })
})

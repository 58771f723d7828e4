import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Result } from '@deskhand/core/model'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { Code } from '../../packages/deskhand/src/code/engine.ts'
import { OPERATOR } from '../support/desk.ts'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'

/** Switches off what PyAutoGUI has for safety, holds a key down, and goes on for long. */
const RECKLESS = `
import pyautogui
pyautogui.FAILSAFE = False
pyautogui.PAUSE = 0
pyautogui.MINIMUM_DURATION = 0
pyautogui.keyDown('shift')
for i in range(20000):
    pyautogui.press('a')
`

describeDesktop('a script that switches its own safety off', () => {
  let desk: RealDesk
  let code: Code
  beforeAll(async () => {
    code = new Code({ projectRoot: import.meta.dirname, timeoutSeconds: 120 })
    desk = await realDesk({ ports: { code, human: { mode: 'enforce', idleMs: 500, waitMs: 200, corner: true } } })
    const file = join(desk.sandbox.env['HOME'] ?? '', 'typed.txt')
    writeFileSync(file, '')
    await desk.show('typed.txt', 'mousepad', [file])
  })
  afterEach(async () => {
    desk.ask('xdotool', 'mousemove', '500', '400')
    // The hand that moved it back is noticed a moment later, and then counts as gone after half a second.
    await sleep(1_000)
    await desk.session.invoke('resume', {}, OPERATOR)
    await expect.poll(() => desk.session.state.human.paused, { timeout: 10_000 }).toBe(false)
  })
  afterAll(async () => {
    await desk.close()
    await code.close()
  })

  /** What the X server says, by whichever client it was pressed. */
  const shift = (): boolean => /key\[50\]=down/.test(desk.ask('xinput', 'query-state', 'Virtual core XTEST keyboard'))

  /** Does this in the middle of the script's work; the script's end, with shift let go. */
  async function meanwhile(act: () => unknown): Promise<Result> {
    await desk.call('ui.focus', { target: 'role=textbox' })
    const running = desk.call('script.run', { script: RECKLESS }, { waitMs: 100_000 })
    let early: Result | undefined
    void running.then((result) => (early = result))
    await expect.poll(() => early?.error ?? shift(), { timeout: 20_000 }).toBe(true)
    await act()
    const result = await running
    expect(result).toMatchObject({ status: 'error' })
    expect(shift()).toBe(false)
    return result
  }

  test('is ended by the pointer in a corner', async () => {
    const result = await meanwhile(() => desk.ask('xdotool', 'mousemove', '0', '0'))
    // The hand that moves the pointer there may be seen before the corner is.
    expect(result.error?.code).toMatch(/^(?:STOPPED|HUMAN_AT_CONTROLS)$/)
    await expect.poll(() => desk.session.state.stopped, { timeout: 10_000 }).toBe(true)
    const stops = async () => (await desk.journal()).filter((e) => e.type === 'operator' && e.what === 'stop')
    await expect.poll(stops, { timeout: 10_000 }).toMatchObject([{ by: { id: 'the fail-safe corner' } }])
  })

  test('by the operator’s word', async () => {
    expect((await meanwhile(() => desk.session.invoke('stop', {}, OPERATOR))).error?.code).toBe('STOPPED')
  })

  test('and by a person’s key, which it does not get to hold shift over', async () => {
    expect((await meanwhile(() => desk.ask('xdotool', 'key', 'F9'))).error?.code).toBe('HUMAN_AT_CONTROLS')
  })

  test('the strict profile does not take the assignment', async () => {
    const refused = await desk.call('script.run', { script: 'pyautogui.FAILSAFE = False', profile: 'strict' })
    expect(refused).toMatchObject({
      status: 'error',
      error: { code: 'BAD_SCRIPT', message: expect.stringContaining('FAILSAFE cannot be set') as string },
    })
  })
})

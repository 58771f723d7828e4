import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Rect, Result } from '@deskhand/core/model'
import { AGENT, placeIn } from '../support/desk.ts'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture, PYTHON, start, told } from '../support/linux.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

describeDesktop('effects on a real desktop', () => {
  let desk: RealDesk
  beforeAll(async () => {
    desk = await realDesk()
  })
  afterAll(() => desk.close())

  const place = async (selector: string): Promise<Rect> => placeIn(await desk.call('ui.query', { selector }))
  const value = async (selector: string): Promise<string | undefined> => {
    const { data } = await desk.call('ui.query', { selector })
    return (data as { matches: { value?: string }[] }).matches[0]?.value
  }
  const close = async (app: string): Promise<Result> => desk.call('desktop.close', { app, force: true, timeoutMs: 5000 })

  describe('on an xterm, which has no tree', () => {
    beforeAll(async () => {
      await desk.show('Plain', 'xterm', ['-T', 'Plain', '+bc', '-e', 'cat'])
    })

    test('text that shows is changed, keys that show nothing are unverified, and neither is without effect', async () => {
      expect(await desk.call('ui.type', { text: 'hello' })).toMatchObject({ status: 'success', effect: 'changed' })
      expect(await desk.call('ui.key', { keys: 'Enter' })).toMatchObject({ status: 'success', effect: 'changed' })
      expect(await desk.call('ui.key', { keys: 'Shift' })).toMatchObject({ status: 'success', effect: 'unverified' })
    })
    afterAll(() => close('xterm'))
  })

  test('a text that an application takes in bit by bit is confirmed once all of it is there', async () => {
    await desk.show('Slow', PYTHON, [fixture('slow_gtk3.py')])
    await told(desk.driver)
    const field = 'role=textbox && name="Slow"'
    expect(await desk.call('ui.type', { target: field, text: 'bit by bit' })).toMatchObject({ status: 'success', effect: 'confirmed' })
    expect(await value(field)).toBe('bit by bit')
    await close('slow_gtk3.py')
  })

  describe('in a window of GTK 3 with a drawn area, a list and a button without effect', () => {
    beforeAll(async () => {
      await desk.show('Effects', PYTHON, [fixture('effects_gtk3.py')])
      await told(desk.driver)
    })
    afterAll(() => close('effects_gtk3.py'))

    test('a click on the drawn area that draws is changed, and one that draws nothing is unverified', async () => {
      const { x, y, w, h } = await place('role=canvas')
      expect(await desk.call('ui.click_xy', { x: x + w / 4, y: y + h / 2 })).toMatchObject({ status: 'success', effect: 'changed' })
      // What the first click drew may still be under way.
      const again = async (): Promise<string> => (await desk.call('ui.click_xy', { x: x + (w * 3) / 4, y: y + h / 2 })).effect
      await expect.poll(again, { timeout: 20_000, interval: 400 }).toBe('unverified')
    })

    test('a selection that only pixels show is not without effect, and a click on a button that does nothing is', async () => {
      await desk.call('ui.type', { target: 'role=textbox && name="Text"', text: 'some words', mode: 'replace' })
      await desk.call('ui.click', { target: 'role=textbox && name="Text"' })
      expect((await desk.call('ui.key', { keys: 'ctrl+a' })).effect).not.toBe('no_effect')
      // The first one moves the focus, and is drawn for a while.
      const click = async (): Promise<string> => (await desk.call('ui.click', { target: 'role=button && name="Dead"' })).effect
      await expect.poll(click, { timeout: 20_000, interval: 400 }).toBe('no_effect')
    })

    test('scrolling says how many notches were delivered, and all of them arrive', async () => {
      const scrolled = await desk.call('ui.scroll', { target: 'role=table || role=tree', deltaY: 450 })
      expect(scrolled).toMatchObject({ status: 'success', sent: 'all', data: { notches: 450 } })
      await expect.poll(() => value('role=textbox && name="Notches"'), { timeout: 20_000 }).toBe('450')
    })

    test('a value that the application turned into another one is in the answer', async () => {
      const typed = await desk.call('ui.type', { target: 'role=textbox && name="Capitals"', text: 'abc', mode: 'replace' })
      expect(typed.effect).not.toBe('confirmed')
      expect(typed.text).toContain('ABC')
    })

    test('a drag in a script that moved nothing has no effect, and one that selected text has', async () => {
      const drag = async (from: Rect): Promise<string> => {
        const at = { x: from.x + 6, y: from.y + from.h / 2 }
        const events = [
          { type: 'move', ...at },
          { type: 'down', button: 'left' },
          { type: 'move', ...at, x: at.x + 60 },
          { type: 'up', button: 'left' },
        ]
        return (await desk.session.start({ tool: 'pyautogui.dragTo', kind: 'pointer', args: { events }, principal: AGENT }).result).effect
      }
      await desk.call('ui.type', { target: 'role=textbox && name="Text"', text: 'some words to select', mode: 'replace' })
      await desk.call('ui.key', { keys: 'Home' })
      const text = await place('role=textbox && name="Text"')
      await expect.poll(() => drag(text), { timeout: 20_000, interval: 400 }).not.toBe('no_effect')
      const nothing = await place('role=label && name="Nothing here"')
      await expect.poll(() => drag(nothing), { timeout: 20_000, interval: 400 }).toBe('no_effect')
    })

    test('an answer about keys says what gets the next one', async () => {
      await desk.call('ui.focus', { target: 'role=textbox && name="Text"' })
      const tabbed = await desk.call('ui.key', { keys: 'Tab' })
      expect(tabbed.resolvedTarget).toMatchObject({ name: 'Text' })
      expect(tabbed.text).toMatch(/next key goes to e\d+ textbox "Capitals"|e\d+ textbox "Capitals".* focused/)
    })

    test('where no window has the keyboard, the one that keys were decided for gets it first', async () => {
      await desk.call('ui.focus', { target: 'role=textbox && name="Text"' })
      const active = (): string => desk.ask('xprop', '-root', '-notype', '_NET_ACTIVE_WINDOW')
      const thief = start(desk.sandbox, PYTHON, [fixture('unfocus_x11.py')])
      await expect.poll(active, { timeout: 20_000 }).toMatch(/0x0$/m)
      expect(await desk.call('ui.key', { keys: ['End', 'z'] })).toMatchObject({ status: 'success', sent: 'all' })
      await expect.poll(() => value('role=textbox && name="Text"'), { timeout: 10_000 }).toMatch(/z$/)
      expect(active()).not.toMatch(/0x0$/m)
      thief.kill()
    })
  })

  test('KCalc gets every one of several equal digits, by keys and by text', async () => {
    await desk.show('KCalc', 'kcalc')
    await told(desk.driver)
    await desk.call('ui.key', { keys: ['2', '7', '7', '4', '4', '4', '0', '0'] })
    expect(await desk.call('ui.wait', { until: { text: '27,744,400' }, timeoutMs: 5000 })).toMatchObject({ status: 'success' })
    await desk.call('ui.key', { keys: ['Escape'] })
    await desk.call('ui.type', { text: '1155' })
    expect(await desk.call('ui.wait', { until: { text: '1,155' }, timeoutMs: 5000 })).toMatchObject({ status: 'success' })
    await close('kcalc')
  })
})

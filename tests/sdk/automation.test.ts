import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AccessibilityTree, GUIAutomation, open, type HoldingDesk } from 'deskhand'
import { Computer } from 'deskhand/computer-use'
import { served } from '../support/served.ts'

const QUICK = { pause: 0, interval: 0, move_duration: 0, drag_duration: 0 }

/** The same desktop in this process, and behind a broker. */
const DESKS: [string, () => Promise<HoldingDesk>][] = [
  ['opened', open],
  [
    'connected',
    async () => {
      const desktop = await served()
      const client = await desktop.client()
      return {
        call: (tool, args, options) => client.call(tool, args, options),
        hold: () => client.hold(),
        release: (hold) => client.release(hold),
        close: async () => {
          await client.close()
          await desktop.close()
        },
      }
    },
  ],
]

describe.each(DESKS)('on a desktop that was %s', (_, reach) => {
  let desk: HoldingDesk
  let gui: GUIAutomation
  let tree: AccessibilityTree

  beforeEach(async () => {
    desk = await reach()
    gui = new GUIAutomation(desk, QUICK)
    tree = new AccessibilityTree(desk)
  })
  afterEach(() => desk.close())

  const middle = async (name: string): Promise<[number, number]> => (await tree.find_by_name(name))[0]!.bounds.center
  const value = async (name: string): Promise<unknown> =>
    ((await desk.call('ui.query', { selector: `name="${name}"` })).data as { matches: { value?: string }[] }).matches[0]?.value

  test('the tree has the desktop, its focused application, and what one looks for in it', async () => {
    expect((await tree.get_desktop()).children.length).toBeGreaterThan(1)
    expect(await tree.get_focused_application()).toMatchObject({ role: 'application', children: [{ name: 'Invoices' }] })
    expect((await tree.find_by_role('button')).map((e) => e.name)).toContain('Save invoice')
    expect((await tree.find_by_name('save', true)).length).toBeGreaterThan((await tree.find_by_name('save invoice')).length)
  })

  test('the focused application has all its windows, and without a window there is none', async () => {
    await desk.call('avis.load_virtual_ui', {
      elements: ['One', 'Two'].map((label_text) => ({
        element_id: label_text,
        element_type: 'window',
        label_text,
        attributes: { app: 'pair' },
        bounds_relative: label_text === 'One' ? [0, 0, 0.4, 0.5] : [0.5, 0, 0.4, 0.5],
      })),
    })
    const app = await tree.get_focused_application()
    expect(app).toMatchObject({ name: 'pair', role: 'application', children: [{ name: 'One' }, { name: 'Two' }] })
    await desk.call('avis.load_virtual_ui', { elements: [] })
    expect(await tree.get_focused_application()).toBeNull()
  })

  test('scrolling without a place leaves the pointer where it is', async () => {
    await gui.move_to(300, 200)
    await gui.scroll(2, null, null)
    expect(await gui.get_mouse_position()).toEqual([300, 200])
  })

  test('clicks, text and shortcuts arrive', async () => {
    await gui.click(...(await middle('Amount')))
    await gui.type_text('12')
    await gui.hotkey('ctrl', 'a')
    await gui.type_text('34')
    expect(await value('Amount')).toBe('34')
  })

  test('a held key stays held until it is let go', async () => {
    await gui.click(...(await middle('Amount')))
    await gui.type_text('abc')
    await gui.key_down('shift')
    await gui.press('home')
    await gui.key_up('shift')
    await gui.type_text('x')
    expect(await value('Amount')).toBe('x')
  })

  test('the pointer is where it was moved to, and in a corner it aborts everything', async () => {
    await gui.move_to(300, 200)
    expect(await gui.get_mouse_position()).toEqual([300, 200])
    expect(await gui.get_screen_size()).toEqual([1280, 800])
    await gui.move_to(0, 0)
    await expect(gui.click(300, 200)).rejects.toMatchObject({ code: 'STOPPED' })
  })

  /** What another caller's key press comes to while a person may still have the controls. */
  const another = () => desk.call('ui.key', { keys: 'Tab' }, { waitMs: 3000 })

  test('a key that is not pressed keeps nobody from the controls', async () => {
    await expect(gui.key_down('nokey')).rejects.toMatchObject({ code: 'BAD_ARGS' })
    await gui.move_to(300, 200)
    await gui.move_to(0, 0)
    await expect(gui.key_down('shift')).rejects.toMatchObject({ code: 'STOPPED' })
    expect((await another()).error).toBeUndefined()
  })

  test('the fail-safe lets go of what is held', async () => {
    await gui.click(...(await middle('Amount')))
    await gui.type_text('abc')
    await gui.key_down('shift')
    await gui.move_to(0, 0)
    await expect(gui.press('home')).rejects.toMatchObject({ code: 'STOPPED' })
    expect((await another()).error).toBeUndefined()
    const calm = new GUIAutomation(desk, { fail_safe: false, pause: 0, interval: 0 })
    await calm.click(...(await middle('Amount')))
    await calm.press('home')
    await calm.type_text('x')
    expect(await value('Amount')).toBe('xabc')
  })

  test('who lost the controls is told so once, and works on without them', async () => {
    const holds: string[] = []
    const losing: HoldingDesk = {
      ...{ call: (...call) => desk.call(...call), release: (hold) => desk.release(hold), close: () => desk.close() },
      hold: async () => {
        holds.push(await desk.hold())
        return holds.at(-1)!
      },
    }
    const [keys, computer] = [new GUIAutomation(losing, QUICK), new Computer(losing)]
    await keys.key_down('shift')
    await desk.release(holds[0]!)
    await expect(keys.press('home')).rejects.toMatchObject({ code: 'LEASE_LOST' })
    await keys.press('home')
    await computer.move({ x: 300, y: 200 })
    await computer.buttonDown()
    await desk.release(holds[1]!)
    await expect(computer.move({ x: 310, y: 200 })).rejects.toMatchObject({ code: 'LEASE_LOST' })
    await computer.move({ x: 310, y: 200 }, ['Shift'])
    expect(await computer.cursor()).toEqual({ x: 310, y: 200 })
    expect((await another()).error).toBeUndefined()
  })

  test('a key is let go by any of its names', async () => {
    await gui.key_down('ctrl')
    await gui.key_up('Control')
    expect((await another()).error).toBeUndefined()
  })

  test.each([-1, Number.NaN, Infinity, 1e9])('%d seconds are no time', async (seconds) => {
    for (const name of ['pause', 'interval', 'move_duration', 'drag_duration'])
      expect(() => new GUIAutomation(desk, { [name]: seconds })).toThrow(expect.objectContaining({ code: 'BAD_ARGS' }))
    await expect(gui.move_to(1, 1, seconds)).rejects.toMatchObject({ code: 'BAD_ARGS' })
    await expect(gui.drag(1, 1, 2, 2, seconds)).rejects.toMatchObject({ code: 'BAD_ARGS' })
    await expect(gui.type_text('a', seconds)).rejects.toMatchObject({ code: 'BAD_ARGS' })
  })

  test('what is left undefined is as the specification has it', async () => {
    const asked: unknown[] = []
    const listening: HoldingDesk = {
      ...{ hold: () => desk.hold(), release: (hold) => desk.release(hold), close: () => desk.close() },
      call: (tool, args, options) => {
        asked.push(args)
        return desk.call(tool, args, options)
      },
    }
    const slow = new GUIAutomation(listening, { fail_safe: undefined, drag_duration: undefined, move_duration: undefined, pause: 0 })
    await slow.drag(100, 100, 120, 110)
    await slow.move_to(300, 200)
    expect(asked).toContainEqual(expect.objectContaining({ durationMs: 500 }))
    const moves = asked.flatMap((args) => (args as { events?: { type: string; ms?: number }[] }).events ?? [])
    expect(moves.filter((e) => e.type === 'pause').length).toBe(12)
  })

  test('one coordinate of a scroll leaves the other where the pointer is', async () => {
    await gui.move_to(300, 200)
    await gui.scroll(1, 310)
    expect(await gui.get_mouse_position()).toEqual([310, 200])
  })

  test('roles are known by the names that other toolkits have for them', async () => {
    expect((await tree.find_by_role('push button')).map((e) => e.name)).toContain('Save invoice')
  })

  test('a screenshot is a PNG, and what is missing says so', async () => {
    expect((await gui.screenshot()).subarray(1, 4).toString()).toBe('PNG')
    await expect(gui.locate_on_screen('x.png')).rejects.toMatchObject({ code: 'NOT_FOUND', next: expect.stringContaining('[vision]') })
  })
})

test('a client that goes away lets go of the key that it held', async () => {
  const desktop = await served()
  const [first, second] = await Promise.all([desktop.client(), desktop.client()])
  await new GUIAutomation(first, QUICK).key_down('shift')
  const waiting = second.call('ui.type', { target: 'name="Amount"', text: 'ab', mode: 'replace' })
  expect(await Promise.race([waiting.then(() => 'acted'), first.call('ui.capabilities').then(() => 'waits')])).toBe('waits')
  await first.close()
  expect(await waiting).toMatchObject({ status: 'success' })
  expect((await second.call('ui.query', { selector: 'name="Amount"' })).data).toMatchObject({ matches: [{ value: 'ab' }] })
  expect(await second.call('ui.key', { keys: 'a' }, { hold: 'no such' })).toMatchObject({ error: { code: 'LEASE_LOST' } })
  await second.close()
  await desktop.close()
})

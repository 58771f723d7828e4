import { afterEach, beforeEach, expect, test } from 'vitest'
import { AccessibilityTree, GUIAutomation, open, type Opened } from '../packages/deskhand/src/index.ts'

let desk: Opened
let gui: GUIAutomation
let tree: AccessibilityTree

beforeEach(async () => {
  desk = await open()
  gui = new GUIAutomation(desk, { pause: 0, interval: 0, move_duration: 0, drag_duration: 0 })
  tree = new AccessibilityTree(desk)
})
afterEach(() => desk.close())

const middle = async (name: string): Promise<[number, number]> => (await tree.find_by_name(name))[0]!.bounds.center
const value = async (name: string): Promise<unknown> =>
  ((await desk.call('ui.query', { selector: `name="${name}"` })).data as { matches: { value?: string }[] }).matches[0]?.value

test('the tree has the desktop, its focused application, and what one looks for in it', async () => {
  expect((await tree.get_desktop()).children.length).toBeGreaterThan(1)
  expect((await tree.get_focused_application())?.name).toBe('Invoices')
  expect((await tree.find_by_role('button')).map((e) => e.name)).toContain('Save invoice')
  expect((await tree.find_by_name('save', true)).length).toBeGreaterThan((await tree.find_by_name('save invoice')).length)
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

test('a screenshot is a PNG, and what is missing says so', async () => {
  expect((await gui.screenshot()).subarray(1, 4).toString()).toBe('PNG')
  await expect(gui.locate_on_screen('x.png')).rejects.toMatchObject({ code: 'NOT_CAPABLE' })
})

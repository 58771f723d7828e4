import { inflateSync } from 'node:zlib'
import { within } from '@deskhand/core/driver'
import { expect, test } from 'vitest'
import { listed, TOOLS } from '../../packages/deskhand/src/tools/list.ts'
import { desk, element, window, type TestDesk } from '../support/desk.ts'

const ui = {
  windows: [
    window('App', [
      element('button', 'Save', { attributes: { on: { click: [{ do: 'increment', element: 'label_n', format: 'Saved {}' }] } } }),
      element('button', 'Save as'),
      element('text_field', 'Name', { is_focused: true }),
      element('label', 'n', { value: 0 }),
    ]),
  ],
}
const png = async (): Promise<TestDesk> => desk({ ui })

interface Element {
  name: string
  role: string
  bounds: { x: number; y: number; width: number; height: number; center: [number, number] }
}

test('find gives names, roles, bounds with their centre, and a count', async () => {
  const { call } = await png()
  const { data } = await call('gui_find_element', { name: 'save' })
  expect(data).toMatchObject({ success: true, count: 2, elements: [{ name: 'Save', role: 'button' }, { name: 'Save as' }] })
  const [save] = (data as { elements: Element[] }).elements
  expect(save?.bounds.center).toEqual([
    Math.floor(save!.bounds.x + save!.bounds.width / 2),
    Math.floor(save!.bounds.y + save!.bounds.height / 2),
  ])
  expect((await call('gui_find_element', { name: 'save', role: 'textbox' })).data).toMatchObject({ success: true, count: 0 })
  expect((await call('gui_find_element', { name: 'Save', partial: false })).data).toMatchObject({ count: 1 })
})

test('a click at a pixel reaches the element there, and answers with a picture', async () => {
  const { call, driver, journal } = await png()
  const { elements } = (await call('gui_find_element', { name: 'Save', partial: false })).data as { elements: Element[] }
  const [x, y] = elements[0]!.bounds.center
  const { data } = await call('gui_click', { x, y })
  expect(data).toMatchObject({ success: true, action: `left click at (${x}, ${y})` })
  expect(pixelsOf((data as { screenshot: string }).screenshot).length).toBeGreaterThan(1000)
  expect(driver.describe()[0]?.children?.[3]?.label_text).toBe('Saved 1')
  expect(await journal()).toContainEqual(
    expect.objectContaining({ type: 'decided', tool: 'gui_click', targets: [expect.objectContaining({ name: 'Save' })] }),
  )
})

test('several matches are not clicked, and none is said so', async () => {
  const { call, driver } = await png()
  expect(await call('gui_click_element', { name: 'Sav' })).toMatchObject({
    status: 'error',
    sent: 'none',
    error: { code: 'AMBIGUOUS_TARGET' },
    data: { success: false, candidates: [{ name: 'Save' }, { name: 'Save as' }] },
  })
  expect(await call('gui_click_element', { name: 'Nothing' })).toMatchObject({
    status: 'error',
    error: { code: 'NOT_FOUND' },
    data: { success: false, error: 'Element not found: name=Nothing, role=None' },
  })
  expect(driver.describe()[0]?.children?.[3]?.label_text).toBe('n')
})

test('a whole name goes before a part of one, and what can be seen before what is hidden', async () => {
  const set = (value: string): unknown => ({ on: { click: [{ do: 'set', element: 'status', value }] } })
  const { call, driver } = await desk({
    ui: [
      window('Files', [
        element('button', 'File', { attributes: set('file') }),
        element('button', 'Filetype', { attributes: set('type') }),
        element('button', 'Old list', { is_visible: false, attributes: set('old') }),
        element('button', 'New list', { attributes: set('new') }),
        { element_id: 'status', element_type: 'label', value: '' },
      ]),
    ],
  })
  const status = (): unknown => driver.describe()[0]?.children?.[4]?.value
  expect(await call('gui_click_element', { name: 'file' })).toMatchObject({ data: { success: true } })
  expect(status()).toBe('file')
  await call('gui_click_element', { name: 'list' })
  expect(status()).toBe('new')
})

test('text and shortcuts go to the focus', async () => {
  const { call, driver } = await png()
  await call('gui_click_element', { name: 'Name' })
  expect((await call('gui_type', { text: 'Grüße' })).data).toEqual({ success: true, action: 'Typed 5 characters' })
  expect((await call('gui_hotkey', { keys: ['ctrl', 'a'] })).data).toMatchObject({ success: true, action: 'Pressed ctrl+a' })
  await call('gui_type', { text: 'neu' })
  expect(driver.describe()[0]?.children?.[2]?.value).toBe('neu')
})

test('a screenshot that the policy denies is null with the reason, and the action still counts', async () => {
  const policy = '[[rule]]\ntoolName = "ui.capture"\ndecision = "deny"\npriority = 900\ndenyMessage = "no pictures"\n'
  const { call } = await desk({ ui, policy })
  const { elements } = (await call('gui_find_element', { name: 'Save as' })).data as { elements: Element[] }
  const [x, y] = elements[0]!.bounds.center
  expect((await call('gui_click', { x, y })).data).toMatchObject({
    success: true,
    screenshot: null,
    screenshot_reason: expect.stringContaining('no pictures'),
  })
  expect((await call('gui_screenshot')).data).toMatchObject({ success: false, screenshot: null, code: 'DENIED' })
})

test('drag and scroll answer in their shape', async () => {
  const { call } = await png()
  expect((await call('gui_drag', { start_x: 100, start_y: 100, end_x: 120, end_y: 110 })).data).toMatchObject({
    success: true,
    action: 'Dragged from (100, 100) to (120, 110)',
  })
  expect((await call('gui_scroll', { clicks: -3, x: 100, y: 100 })).data).toMatchObject({ success: true, action: 'Scrolled -3 clicks' })
})

test.each([
  ['gui_click', { x: '1', y: 2 }, 'x: '],
  ['gui_click', { x: 1 }, 'y is missing'],
  ['gui_click', { x: 1, y: 1, buton: 'left' }, 'did you mean button?'],
  ['gui_click', { x: 1, y: 1, clicks: 0 }, 'clicks: '],
  ['gui_click', 'x', 'arguments: '],
  ['gui_click', [1], 'arguments: '],
  ['gui_type', { text: 7 }, 'text: '],
  ['gui_hotkey', { keys: [] }, 'keys: '],
  ['gui_hotkey', { keys: ['ctrl', 'nokey'] }, 'there is no key'],
  ['gui_find_element', {}, 'name or role'],
  ['gui_find_element', { role: 'nonsense' }, 'no role'],
  ['gui_click_element', { name: '', role: null }, 'name or role'],
  ['gui_analyze_screen', { prompt: 5 }, 'prompt: '],
  ['gui_drag', { start_x: 5 }, 'start_y is missing'],
  ['gui_scroll', { clicks: 1000 }, 'clicks: '],
  ['gui_screenshot', { region: { x: 0, y: 0, width: 0, height: 5 } }, 'region.width: '],
  ['gui_screenshot', { region: { x: 5000, y: 5000, width: 10, height: 10 } }, 'outside the screen'],
  ['gui_screenshot', { region: { x: -20, y: 0, width: 10, height: 10 } }, 'outside the screen'],
])('%s of %j is answered in its shape, with the coded reason', async (tool, args, words) => {
  const { call } = await png()
  expect(await call(tool, args)).toMatchObject({
    status: 'error',
    error: { code: 'BAD_ARGS' },
    data: { success: false, code: 'BAD_ARGS', error: expect.stringContaining(words) as string, next: expect.any(String) as string },
  })
})

test('what is left out may be null, as Python writes it, and an empty name is none', async () => {
  const { call } = await png()
  expect((await call('gui_find_element', { name: 'Save', role: null })).data).toMatchObject({ count: 2 })
  expect((await call('gui_find_element', { name: '', role: 'textbox' })).data).toMatchObject({ count: 1 })
  expect((await call('gui_screenshot', { region: null })).data).toMatchObject({ success: true, screen_size: { width: 1280, height: 800 } })
})

test('a whole name is found in any case, and whatever signs are in it', async () => {
  const names = ['Save (all) [x]/y', 'a\\b|c', 'Grüner', '"quoted"', 'two\nlines']
  const { call } = await desk({
    ui: {
      windows: [
        window(
          'App',
          names.map((name, i) => element('button', `b${i}`, { label_text: name })),
        ),
      ],
    },
  })
  for (const name of names) {
    expect((await call('gui_find_element', { name, partial: false })).data).toMatchObject({ count: 1, elements: [{ name }] })
    if (!name.includes('\n'))
      expect((await call('gui_find_element', { name: name.toUpperCase(), partial: false })).data).toMatchObject({ count: 1 })
  }
  expect((await call('gui_find_element', { name: 'sav', partial: false })).data).toMatchObject({ count: 0 })
})

test('scrolling at one coordinate keeps the other where the pointer is', async () => {
  const { call, driver } = await png()
  await call('gui_scroll', { clicks: 1, x: 200, y: 100 })
  const at = () => driver.observe.pointer(within(1000))
  await call('gui_scroll', { clicks: 1, x: 300 })
  expect(await at()).toEqual({ x: 300, y: 100 })
  await call('gui_scroll', { clicks: 1, y: 150 })
  expect(await at()).toEqual({ x: 300, y: 150 })
})

test('the tools are registered as the specification has them: names, parameters, what is required and what is meant when left out', () => {
  const described = TOOLS.filter((t) => t.toolset === 'gui').map((tool) => {
    const { properties = {}, required = [] } = listed(tool).inputSchema as {
      properties?: Record<string, { type?: string; default?: unknown; enum?: unknown[] }>
      required?: string[]
    }
    const parameters = Object.entries(properties).map(([key, p]) =>
      [key, p.type, ...(p.default === undefined ? [] : [`= ${JSON.stringify(p.default)}`]), ...(p.enum ?? [])].join(' '),
    )
    return [tool.name, parameters, required]
  })
  expect(described).toEqual([
    ['gui_screenshot', ['region object'], []],
    ['gui_click', ['x integer', 'y integer', 'button string = "left" left right middle', 'clicks integer = 1'], ['x', 'y']],
    ['gui_type', ['text string'], ['text']],
    ['gui_hotkey', ['keys array'], ['keys']],
    ['gui_find_element', ['name string', 'role string', 'partial boolean = true'], []],
    ['gui_click_element', ['name string', 'role string'], []],
    // The last two are ours, and change nothing where they are left out.
    ['gui_locate_on_screen', ['image_path string', 'confidence number = 0.9', 'any_scale boolean', 'any_theme boolean'], ['image_path']],
    ['gui_analyze_screen', ['prompt string = "Describe what you see on screen"'], []],
    ['gui_drag', ['start_x integer', 'start_y integer', 'end_x integer', 'end_y integer'], ['start_x', 'start_y', 'end_x', 'end_y']],
    ['gui_scroll', ['clicks integer', 'x integer', 'y integer'], ['clicks']],
  ])
})

test('of many elements twenty are given, and as many counted', async () => {
  const many = Array.from({ length: 30 }, (_, i) => element('button', `Item ${i}`))
  const { call } = await desk({ ui: { windows: [window('App', many)] } })
  const { data } = await call('gui_find_element', { name: 'item' })
  expect(data).toMatchObject({ success: true, count: 20 })
  expect((data as { elements: unknown[] }).elements).toHaveLength(20)
  expect((await call('gui_click_element', { name: 'item' })).data).toMatchObject({
    success: false,
    error: expect.stringContaining('30 elements match') as string,
  })
})

/** The raw rows of a PNG, read without our encoder. */
function pixelsOf(base64: string): Buffer {
  const file = Buffer.from(base64, 'base64')
  const parts: Buffer[] = []
  for (let at = 8; at < file.length;) {
    const size = file.readUInt32BE(at)
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(file.subarray(at + 8, at + 8 + size))
    at += 12 + size
  }
  return inflateSync(Buffer.concat(parts))
}

test.each([
  ['python.run', { cod: '1' }, { ok: false, error: { code: 'BAD_ARGS' } }],
  ['script.run', { script: 5 }, { status: 'error', steps: [], output: '' }],
])('%s answers in its own shape also for arguments that cannot be read', async (tool, args, data) => {
  const { call } = await png()
  expect(await call(tool, args)).toMatchObject({ status: 'error', error: { code: 'BAD_ARGS' }, data })
})

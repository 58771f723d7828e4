import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import type { Result } from '@deskhand/core/model'
import { Vision } from '@deskhand/vision'
import { Code } from '../../packages/deskhand/src/code/engine.ts'
import { AGENT, desk, element, placeIn, window, type TestDesk } from '../support/desk.ts'

const dir = mkdtempSync(join(tmpdir(), 'dh-images-'))
const lent = join(dir, 'lent')
mkdirSync(lent)
const vision = new Vision({ images: [lent] })
afterAll(async () => {
  await vision.close()
  rmSync(dir, { recursive: true, force: true })
})

const count = (n: string): Record<string, unknown> => ({
  attributes: { on: { click: [{ do: 'increment', element: 'label_n', format: `${n} {}` }] } },
})
const ui = {
  windows: [
    window('App', [
      element('button', 'Save', count('Saved')),
      element('button', 'Print', count('Printed')),
      element('label', 'n', { value: 0 }),
      element('text_field', 'Secret', { value: 'hunter2', attributes: { is_password: true } }),
    ]),
  ],
}

const code = new Code({ projectRoot: dir, timeoutSeconds: 30, vision })
const open = (policy = ''): Promise<TestDesk> => desk({ ui, policy, vision, ports: { code } })

/** Lends the picture of an element under a name. */
async function lend(d: TestDesk, name: string, selector: string): Promise<{ x: number; y: number; w: number; h: number }> {
  const { x, y, w, h } = placeIn(await d.call('ui.query', { selector }))
  const { data } = await d.call('gui_screenshot', { region: { x, y, width: w, height: h } })
  writeFileSync(join(lent, name), Buffer.from((data as { screenshot: string }).screenshot, 'base64'))
  return { x, y, w, h }
}

const region = ({ data }: Result): unknown => (data as { region: unknown }).region

test('a picture is found where it lies, and clicking it reaches what lies there, judged as that', async () => {
  const d = await open()
  const { x, y, w, h } = await lend(d, 'print.png', 'role=button && name="Print"')
  expect(region(await d.call('gui_locate_on_screen', { image_path: 'print.png' }))).toEqual({
    x,
    y,
    width: w,
    height: h,
    center: [Math.floor(x + w / 2), Math.floor(y + h / 2)],
    confidence: 1,
  })
  const result = await d.call('ui.click', { target: 'image:"print"' })
  expect(result).toMatchObject({ status: 'success', sent: 'all', resolvedTarget: { role: 'button', name: 'Print' } })
  expect(d.driver.describe()[0]?.children?.[2]?.label_text).toBe('Printed 1')
  const decided = (await d.journal()).find((e) => e.type === 'decided' && e.kind === 'click')
  expect(decided).toMatchObject({ targets: [{ source: 'image', name: 'Print' }] })
})

test('a fallback names the picture where no element has the name', async () => {
  const d = await open()
  await lend(d, 'save.png', 'role=button && name="Save"')
  expect(await d.call('ui.click', { target: 'virtual:name="Store" ?? image:"save.png"' })).toMatchObject({ status: 'success' })
  expect(d.driver.describe()[0]?.children?.[2]?.label_text).toBe('Saved 1')
})

test('what is not on the screen is null, and two places are an error that lists them', async () => {
  const d = await open()
  await lend(d, 'print.png', 'role=button && name="Print"')
  const none = await desk({ ui: { windows: [window('Other', [element('label', 'nothing here')])] }, vision })
  expect(region(await none.call('gui_locate_on_screen', { image_path: 'print.png' }))).toBeNull()
  const ui2 = {
    windows: [
      window('Twice', [element('button', 'First'), element('button', 'Print'), element('button', 'Print', { element_id: 'other' })]),
    ],
  }
  const two = await desk({ ui: ui2, vision })
  expect(await two.call('gui_locate_on_screen', { image_path: 'print.png' })).toMatchObject({
    error: { code: 'AMBIGUOUS_TARGET' },
    data: { success: false, candidates: [expect.anything(), expect.anything()] },
  })
  expect((await two.call('ui.click', { target: 'image:"print.png"' })).error?.code).toBe('AMBIGUOUS_TARGET')
})

test('a picture of another size, or with light and dark exchanged, is found only where that is asked for', async () => {
  const d = await open()
  const { x, y } = await lend(d, 'print.png', 'role=button && name="Print"')
  const file = join(lent, 'print.png')
  const { width } = await sharp(file).metadata()
  const other = await sharp(file)
    .resize({ width: Math.round(width * 1.5) })
    .png()
    .toBuffer()
  writeFileSync(join(lent, 'large.png'), other)
  writeFileSync(join(lent, 'dark.png'), await sharp(file).negate({ alpha: false }).png().toBuffer())
  for (const [image_path, how] of [
    ['large.png', { any_scale: true, confidence: 0.8 }],
    ['dark.png', { any_theme: true }],
  ] as const) {
    expect(region(await d.call('gui_locate_on_screen', { image_path })), image_path).toBeNull()
    const found = region(await d.call('gui_locate_on_screen', { image_path, ...how })) as { x: number; y: number } | null
    expect(Math.hypot((found?.x ?? 0) - x, (found?.y ?? 0) - y), image_path).toBeLessThan(5)
  }
})

test('files outside of the lent folders do not exist, whatever leads to them', async () => {
  const d = await open()
  await lend(d, 'save.png', 'role=button && name="Save"')
  writeFileSync(join(dir, 'outside.png'), '')
  symlinkSync(join(dir, 'outside.png'), join(lent, 'link.png'))
  const answers = await Promise.all(
    ['../outside.png', join(dir, 'outside.png'), 'link', '/etc/passwd', 'absent'].map((image_path) =>
      d.call('gui_locate_on_screen', { image_path }),
    ),
  )
  for (const { error } of answers) expect(error).toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining('operator lends') })
  expect(region(await d.call('gui_locate_on_screen', { image_path: join(lent, 'save.png') }))).not.toBeNull()
})

test('what a person may not see is not found by its looks either', async () => {
  const d = await open(
    '[[rule]]\ntoolName = "ui.capture"\ndecision = "deny"\npriority = 900\n[[rule]]\ntoolName = "gui_locate_on_screen"\ndecision = "deny"\npriority = 900\n',
  )
  expect(await d.call('gui_locate_on_screen', { image_path: 'save.png' })).toMatchObject({
    error: { code: 'DENIED' },
    data: { region: null },
  })
})

test('a script finds pictures by name, in a window, in a screenshot, and what it cut out of one', async () => {
  const d = await open()
  const { x, y, w, h } = await lend(d, 'print.png', 'role=button && name="Print"')
  const script = [
    "b = pyautogui.locateOnScreen('print.png', confidence=0.9)",
    'print(b == pyautogui.locateOnWindow("print.png", "App"), pyautogui.center(b) == pyautogui.locateCenterOnScreen("print.png", grayscale=True))',
    'im = pyautogui.screenshot()',
    'cut = im.crop((b.left, b.top, b.left + b.width, b.top + b.height))',
    'print(b, pyautogui.locate(cut, im) == b, len(pyautogui.locateAllOnScreen(cut)), list(pyautogui.locateAll(cut, im)) == [b])',
    'try:',
    "    pyautogui.locateOnScreen('print.png', region=(0, 0, 20, 20))",
    'except pyautogui.ImageNotFoundException:',
    "    print('not there')",
    "pyautogui.click('print.png')",
  ].join('\n')
  const { data, error } = await d.call('script.run', { script })
  expect(error).toBeUndefined()
  expect((data as { output: string }).output).toBe(`True True\nBox(left=${x}, top=${y}, width=${w}, height=${h}) True 1 True\nnot there\n`)
  expect(d.driver.describe()[0]?.children?.[2]?.label_text).toBe('Printed 1')
})

test('what only looks alike is searched by another process, which ends with the desktop', async () => {
  const own = new Vision({ images: [lent] })
  const d = await open()
  const { x, y, w, h } = await lend(d, 'print.png', 'role=button && name="Print"')
  const { data } = await d.session.call({ tool: 'ui.capture', kind: 'capture', args: { format: 'raw' }, principal: AGENT })
  const frame = data as { width: number; height: number; data: Uint8Array }
  const noisy = { ...frame, data: frame.data.map((v, i) => (i % 4 === 3 ? 255 : v > 128 ? v - ((i * 7) % 16) : v + ((i * 7) % 16))) }
  const hits = await own.locate(noisy, { name: 'print.png' }, { confidence: 0.9, limit: 5 }, AbortSignal.timeout(60_000))
  expect(hits).toMatchObject([{ rect: { x, y, w, h } }])
  expect(hits[0]?.confidence).toBeLessThan(1)
  const given = own.locate(noisy, { name: 'print.png' }, { confidence: 0.9, limit: 5 }, AbortSignal.timeout(60_000))
  await own.close()
  await expect(given).rejects.toMatchObject({ code: 'NOT_CAPABLE' })
})

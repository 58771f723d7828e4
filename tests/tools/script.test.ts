import { expect, test } from 'vitest'
import { open } from 'deskhand'
import { toMcp } from '../../packages/deskhand/src/mcp/answer.ts'
import { desk, element, window } from '../support/desk.ts'

const SCRIPT = 'pyautogui.click(300, 300)\nfor _ in range(3):\n    pyautogui.press("tab")\nprint("done", 3)'

test('a script is answered with a line per call, without what the policy simply allowed', async () => {
  const desk = await open()
  const result = await desk.call('script.run', { script: SCRIPT })
  await desk.close()
  expect(result.text).toMatch(
    /^done, 4 calls\n +1 {2}pyautogui\.click\(300, 300\) {2}\[changed; textbox "Amount" e\d+\]\n(?: +3 {2}pyautogui\.press\('tab'\) {2}\[changed; \w+ "[^"]+" e\d+\]\n){3}output "done 3\\n"\n(?:[^]*\n)?The next key goes to e\d+ [^\n]+$/,
  )
  expect(JSON.stringify(result.data).length).toBeLessThan(600)
  expect(toMcp(result, true)).toMatchObject({ content: [{ text: result.text }], structuredContent: { status: 'ok', output: 'done 3\n' } })
})

test('what a rule says is told once, whatever the number of calls', async () => {
  const desk = await open()
  const { data, text } = await desk.call('script.run', { script: SCRIPT, rehearse: true })
  await desk.close()
  const { steps } = data as { steps: { decision?: { reason?: string } }[] }
  const reasons = steps.flatMap((s) => s.decision?.reason ?? [])
  expect(reasons.length).toBeGreaterThan(0)
  expect(new Set(reasons).size).toBe(reasons.length)
  expect(text?.split(reasons[0] ?? '').length).toBe(2)
})

test('of a long script the first and the last calls are shown, and the others counted', async () => {
  const desk = await open()
  const { text, data } = await desk.call('script.run', { script: 'for _ in range(100):\n    pyautogui.moveTo(300, 300)' })
  await desk.close()
  expect(text).toContain('… 60 more')
  expect(text?.split('\n')).toHaveLength(42)
  expect((data as { steps: unknown[] }).steps).toHaveLength(100)
})

test('what a script changed is told behind its calls', async () => {
  const desk = await open()
  await desk.call('ui.snapshot')
  const { text } = await desk.call('script.run', { script: 'pyautogui.click(300, 300)\npyautogui.write("42")' })
  await desk.close()
  expect(text).toMatch(/pyautogui\.write\(.*\nnow e\d+ textbox "Amount" value "42" focused$/)
})

test('the screenshots of a script come with its answer; of many the last ones', async () => {
  const desk = await open()
  const one = await desk.call('script.run', { script: 'pyautogui.screenshot(region=(10, 20, 64, 48))\npyautogui.pixel(5, 5)' })
  expect(one.images).toMatchObject([{ mimeType: 'image/png', width: 64, height: 48, origin: { x: 10, y: 20 } }])
  expect((toMcp(one, true).content as { type: string }[]).map((c) => c.type)).toEqual(['text', 'image'])
  const png = Buffer.from(one.images?.[0]?.data ?? [])
  expect([png.toString('latin1', 1, 4), png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual(['PNG', 64, 48])
  // A point in it is a point of the desktop.
  const clicked = await desk.call('ui.click_xy', { x: 290, y: 280, coordinateSpace: 'image', imageId: one.images?.[0]?.id })
  expect(clicked).toMatchObject({ status: 'success', resolvedTarget: { name: 'Amount' } })
  const many = await desk.call('script.run', { script: 'for i in range(5):\n    pyautogui.screenshot(region=(i, 0, 20 + i, 20))' })
  expect(many.images?.map((i) => i.width)).toEqual([22, 23, 24])
  expect(many.text).toContain('the last 3 of 5 screenshots are here')
  expect(JSON.stringify(many.data).length).toBeLessThan(600)
  await desk.close()
})

test('a script that fails is answered with the line and the place in it', async () => {
  const desk = await open()
  const result = await desk.call('script.run', { script: 'pyautogui.moveTo(5, 5)\n1 / 0' })
  await desk.close()
  const [told] = toMcp(result, true).content as { text: string }[]
  expect(told?.text).toMatch(/^SCRIPT_FAILED: line 2: .*\nNext: .*\n +1 {2}pyautogui\.moveTo\(5, 5\).*\n[^]*1 \/ 0\n *\| \^/)
})

test('the record beside an answer has what the policy said only where it did not simply allow, or where all is asked for', async () => {
  const policy = '[[rule]]\ntoolName = "ui.click"\ndecision = "deny"\npriority = 900\n'
  const d = await desk({ ui: [window('Form', [element('button', 'Send')])], policy })
  const [looked, denied] = [await d.call('ui.snapshot'), await d.call('ui.click', { target: 'name="Send"' })]
  const has = (...of: Parameters<typeof toMcp>): boolean => /"decision":/.test(JSON.stringify(toMcp(...of).structuredContent))
  expect([has(looked, false, 'short'), has(looked), has(denied, false, 'short')]).toEqual([false, true, true])
})

test('a script says what its calls sent, also where it fails in the middle', async () => {
  const desk = await open()
  const sent = async (script: string, rehearse?: boolean) => (await desk.call('script.run', { script, rehearse })).sent
  expect(await sent(SCRIPT)).toBe('all')
  expect(await sent(SCRIPT, true)).toBe('none')
  expect(await sent(`${SCRIPT}\npyautogui.press("entr")`)).toBe('partial')
  expect(await sent('pyautogui.press("entr")')).toBe('none')
  await desk.close()
})

import { expect, test } from 'vitest'
import { open } from 'deskhand'
import { toMcp } from '../../packages/deskhand/src/mcp/answer.ts'

const SCRIPT = 'pyautogui.click(300, 300)\nfor _ in range(3):\n    pyautogui.press("tab")\nprint("done", 3)'

test('a script is answered with a line per call, without what the policy simply allowed', async () => {
  const desk = await open()
  const result = await desk.call('script.run', { script: SCRIPT })
  await desk.close()
  expect(result.text).toMatch(
    /^done, 4 calls\n +1 {2}pyautogui\.click\(300, 300\) {2}\[changed; textbox "Amount" e\d+\]\n(?: +3 {2}pyautogui\.press\('tab'\) {2}\[changed; \w+ "[^"]+" e\d+\]\n){3}output "done 3\\n"$/,
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

test('a script that fails is answered with the line and the place in it', async () => {
  const desk = await open()
  const result = await desk.call('script.run', { script: 'pyautogui.moveTo(5, 5)\n1 / 0' })
  await desk.close()
  const [told] = toMcp(result, true).content as { text: string }[]
  expect(told?.text).toMatch(/^SCRIPT_FAILED: line 2: .*\nNext: .*\n +1 {2}pyautogui\.moveTo\(5, 5\).*\n[^]*1 \/ 0\n *\| \^/)
})

import { expect, test } from 'vitest'
import { open, parseAgentReply, runAutomationScript, validateScript, type ScriptResult } from 'deskhand'

test('a script is checked, run and told about, all through the library', async () => {
  expect(() => validateScript('pyautogui.click(1, 2)')).not.toThrow()
  expect(() => validateScript('import os')).toThrow(expect.objectContaining({ code: 'BAD_SCRIPT' }))
  const desk = await open()
  try {
    const [part] = parseAgentReply('```python\nprint(pyautogui.size())\npyautogui.moveTo(5, 5)\n```')
    const result: ScriptResult = await runAutomationScript(part?.kind === 'script' ? part.script : '', { desk })
    expect(result).toMatchObject({ status: 'ok', output: expect.stringContaining('Size(') })
    expect(result.steps.map((s) => s.call)).toEqual(['pyautogui.size()', 'pyautogui.moveTo(5, 5)'])
    expect(await runAutomationScript('x = 1\nimport os\n', { desk })).toMatchObject({
      status: 'error',
      error: { code: 'BAD_SCRIPT', line: 2 },
    })
    expect(await runAutomationScript('pyautogui.click(1)\n1 / 0\n', { desk, rehearse: true })).toMatchObject({ status: 'error' })
    expect(await runAutomationScript('pass', { desk, signal: AbortSignal.abort() })).toMatchObject({ status: 'error' })
  } finally {
    await desk.close()
  }
})

test('without a desk it runs on one of its own', async () => {
  expect(await runAutomationScript('print(6 * 7)')).toMatchObject({ status: 'ok', output: '42\n' })
})

test('what is not there yet is named with its reason', async () => {
  const desk = await open()
  const { data, text } = await desk.call('ui.capabilities')
  await desk.close()
  expect(data).toMatchObject({ features: { imageSearch: { ok: false, reason: expect.stringContaining('locateOnScreen') } } })
  expect(text).toContain('imageSearch: no, nothing here searches the screen for a picture')
})

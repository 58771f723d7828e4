import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { open, parseAgentReply, runAutomationScript, validateScript, type ScriptResult } from 'deskhand'
import { served } from '../support/served.ts'

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

describe('without a desk', () => {
  let state: string
  beforeEach(() => vi.stubEnv('DESKHAND_STATE', (state = mkdtempSync(join(tmpdir(), 'dh-sdk-')))))
  afterEach(() => {
    vi.unstubAllEnvs()
    rmSync(state, { recursive: true, force: true })
  })
  const answer = { status: 'ok', output: '42\n' }

  test('a script runs on a simulated desktop of its own where none is up, and says so', async () => {
    const detail = expect.stringContaining('urn:deskhand:virtual:virtual') as string
    expect(await runAutomationScript('print(6 * 7)')).toMatchObject({ ...answer, detail })
  })

  test('a script runs on the desktop that is up, and names it', async () => {
    const shared = await served({ desktop: { name: 'shared' } }, state)
    try {
      const detail = expect.stringContaining('urn:deskhand:virtual:shared') as string
      expect(await runAutomationScript('print(6 * 7)')).toMatchObject({ ...answer, detail })
    } finally {
      await shared.close()
    }
  })
})

test('what is not there yet is named with its reason', async () => {
  const desk = await open()
  const { data, text } = await desk.call('ui.capabilities')
  await desk.close()
  expect(data).toMatchObject({ features: { imageSearch: { ok: false, reason: expect.stringContaining('locateOnScreen') } } })
  expect(text).toContain('imageSearch: no, no folder of pictures is lent')
})

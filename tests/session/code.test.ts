import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Result } from '@deskhand/core/model'
import type { Desk } from 'deskhand'
import { dispatch } from '../../packages/deskhand/src/tools/dispatch.ts'
import { aiGO } from '../../examples/aigo.mjs'
import { Code } from '../../packages/deskhand/src/code/engine.ts'
import { AGENT, desk, element, OPERATOR, window, type TestDesk } from '../support/desk.ts'

const ui = {
  windows: [
    window('App', [
      element('text_area', 'Notes', { is_focused: true }),
      element('checkbox', 'Agree', { value: false }),
      element('button', 'Forbidden'),
    ]),
  ],
}
const DENY = '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 900\n[rule.when]\nname = "Forbidden"\n'

let code: Code
beforeEach(() => {
  code = new Code({ projectRoot: import.meta.dirname, timeoutSeconds: 30 })
})
afterEach(() => code.close())

const open = (policy?: string): Promise<TestDesk> => desk({ ui, policy, ports: { code } })
const at = async (d: TestDesk, name: string): Promise<[number, number]> =>
  ((await d.call('gui_find_element', { name })).data as { elements: { bounds: { center: [number, number] } }[] }).elements[0]!.bounds.center

describe('script.run', () => {
  test('every call of a script is an action of its own, with its line, on the element under the pixel', async () => {
    const d = await open()
    const [x, y] = await at(d, 'Agree')
    const { data } = await d.call('script.run', {
      script: `import pyautogui\npyautogui.typewrite("Grüße")\npyautogui.click(${x}, ${y})\nprint("ok")`,
    })
    expect(data).toMatchObject({ status: 'ok', output: 'ok\n' })
    const [notes, agree] = d.driver.describe()[0]!.children!
    expect([notes?.value, agree?.value]).toEqual(['Grüße', true])
    const clicked = (await d.journal()).find((e) => e.type === 'decided' && e.tool === 'pyautogui.click' && e.kind === 'pointer')
    expect(clicked).toMatchObject({ origin: { line: 3 }, targets: [{ name: 'Agree', source: 'pixel' }] })
  })

  test('a script that reaches for what it may not have never begins', async () => {
    const d = await open()
    const { data } = await d.call('script.run', { script: 'pyautogui.typewrite("x")\nimport os\nos.system("id")' })
    expect(data).toMatchObject({ status: 'error', steps: [] })
    expect(d.driver.describe()[0]?.children?.[0]?.value ?? '').toBe('')
  })

  test('a denied click ends the script', async () => {
    const d = await open(DENY)
    const [x, y] = await at(d, 'Forbidden')
    const { data } = await d.call('script.run', { script: `import pyautogui\npyautogui.click(${x}, ${y})\npyautogui.typewrite("after")` })
    expect(data).toMatchObject({ status: 'error' })
    expect(d.driver.describe()[0]?.children?.[0]?.value ?? '').toBe('')
  })

  test('stop ends a script that would run on, and it cannot catch that', async () => {
    const d = await open()
    const running = d.call('script.run', {
      script:
        'import pyautogui, time\nwhile True:\n    try:\n        pyautogui.typewrite("x")\n        time.sleep(0.01)\n    except:\n        pass',
    })
    await d.call('ui.wait', { until: { uiState: { target: 'name="Notes"', valueContains: 'xx' } }, timeoutMs: 5000 })
    await d.session.invoke('stop', {}, OPERATOR)
    expect((await running).status).toBe('error')
  })
})

describe('aiGO', () => {
  const clickAgree = async (d: TestDesk): Promise<string> =>
    `pyautogui.click${JSON.stringify(await at(d, 'Agree'))
      .replace('[', '(')
      .replace(']', ')')}`
  const deskOf = (d: TestDesk): Desk => ({ call: d.call, close: async () => {} })

  test('a reply is read, its scripts run in order, and its last word ends the task', async () => {
    const d = await open()
    const reply = `Let me tick the box.\n\`\`\`python\n${await clickAgree(d)}\nprint("ticked")\n\`\`\`\n---DELIMITER---\nDONE`
    expect(await aiGO(reply, deskOf(d))).toEqual({ next: 'done', told: ['ticked\n'] })
    expect(d.driver.describe()[0]?.children?.[1]?.value).toBe(true)
  })

  test('after a script that may not run nothing else of the reply does, and the model learns why', async () => {
    const d = await open()
    const reply = `import os\nos.remove("x")\n---DELIMITER---\n${await clickAgree(d)}\n---DELIMITER---\nDONE`
    expect(await aiGO(reply, deskOf(d))).toEqual({ next: 'look', told: [expect.stringMatching(/line 1.*module os/)] })
    expect(d.driver.describe()[0]?.children?.[1]?.value).toBe(false)
    expect(await aiGO('FAIL', deskOf(d))).toEqual({ next: 'failed', told: [] })
  })
})

describe('python.run', () => {
  test('answers in its own shape', async () => {
    const d = await open()
    expect((await d.call('python.run', { code: 'print(2 + 2)' })).data).toMatchObject({ ok: true, stdout: '4\n', exitCode: 0 })
    expect((await d.call('python.run', {})).data).toMatchObject({ ok: false, error: { code: 'BAD_ARGS' } })
    expect((await d.call('python.run', { code: '1', nonsense: true })).error).toMatchObject({ code: 'BAD_ARGS' })
  })

  test('a policy that denies code denies it, and nothing runs', async () => {
    const d = await open('[[rule]]\ntoolName = "python.run"\ndecision = "deny"\npriority = 900\n')
    expect((await d.call('python.run', { code: 'print(1)' })).data).toMatchObject({ ok: false, error: { code: 'DENIED' } })
  })

  test("the host's own Python asks, and runs when a person agrees", async () => {
    const d = await desk({ ui, ports: { code } })
    const run = (): Promise<Result> =>
      dispatch({ session: d.session, pythonEngine: 'system' }, AGENT, 'python.run', { code: 'print(6 * 7)' })
    const asked = run()
    while (d.session.approvals.list().length === 0) await sleep(5)
    const [approval] = d.session.approvals.list()
    expect(approval?.decision.rule?.name).toBe("the host's own Python asks")
    await d.session.invoke('approvals.answer', { id: approval?.id ?? '', allow: false, scope: 'once' }, OPERATOR)
    expect((await asked).data).toMatchObject({ ok: false, error: { code: 'APPROVAL_DENIED' } })
    const again = run()
    while (d.session.approvals.list().length === 0) await sleep(5)
    await d.session.invoke('approvals.answer', { id: d.session.approvals.list()[0]?.id ?? '', allow: true, scope: 'once' }, OPERATOR)
    const { data } = await again
    expect([expect.objectContaining({ ok: true, stdout: '42\n' }), expect.objectContaining({ ok: false })]).toContainEqual(data)
  })

  test('the record holds what was run, and only its hash where a rule keeps it out', async () => {
    const d = await open()
    const codeHash = createHash('sha256').update('print("in the record")').digest('hex')
    await d.call('python.run', { code: 'print("in the record")' })
    expect((await d.journal()).find((e) => e.type === 'decided' && e.kind === 'code')).toMatchObject({
      tool: 'python.run',
      args: { code: 'print("in the record")', engine: 'bundled' },
      codeHash,
    })
    const kept = await open(
      '[[rule]]\ntoolName = "python.run"\ndecision = "allow"\npriority = 900\nobligations = { redact = true }\n[rule.when]\nrisk = ["low", "medium", "high"]\n',
    )
    await kept.call('python.run', { code: 'print("in the record")' })
    const entries = await kept.journal()
    expect(entries.find((e) => e.type === 'decided')).toMatchObject({ codeHash })
    expect(JSON.stringify(entries)).not.toContain('in the record')
  })
})

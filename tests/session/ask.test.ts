import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Approval } from '@deskhand/core/model'
import { Code } from '../../packages/deskhand/src/code/engine.ts'
import { open } from 'deskhand'
import { World } from '../support/cli.ts'
import { desk, element, OPERATOR, window, type TestDesk } from '../support/desk.ts'
import { Pane } from '../support/pane.ts'

const ui = { windows: [window('App', [element('text_area', 'Notes', { is_focused: true })])] }

describe('a question of a script', () => {
  let code: Code
  beforeEach(() => {
    code = new Code({ projectRoot: import.meta.dirname, timeoutSeconds: 30 })
  })
  afterEach(() => code.close())

  const start = (expiryMs = 10_000): Promise<TestDesk> => desk({ ui, ports: { code, approver: { expiryMs } } })
  const ask = (d: TestDesk, script: string) => d.call('script.run', { script: `import pyautogui\n${script}` })
  const asked = async (d: TestDesk): Promise<Approval> => {
    for (;;) {
      const [approval] = d.session.approvals.list()
      if (approval !== undefined) return approval
      await sleep(5)
    }
  }

  test('reaches the operator with its buttons, and only one of them is an answer', async () => {
    const d = await start()
    const running = ask(d, 'print(pyautogui.confirm("Go on?", "Check", ["Yes", "No"]))')
    const { id, question } = await asked(d)
    expect(question).toEqual({ kind: 'confirm', title: 'Check', message: 'Go on?', buttons: ['Yes', 'No'] })
    await expect(
      d.session.invoke('approvals.answer', { id: id, allow: true, scope: 'once', text: 'Maybe' }, OPERATOR),
    ).rejects.toMatchObject({
      code: 'BAD_ARGS',
    })
    await d.session.invoke('approvals.answer', { id: id, allow: true, scope: 'session', text: 'No' }, OPERATOR)
    expect((await running).data).toMatchObject({ status: 'ok', output: 'No\n' })
    expect((await d.journal()).find((e) => e.type === 'answered')).toMatchObject({ allow: true, button: 'No', scope: 'once' })
    expect(d.session.approvals.grants()).toEqual([])
  })

  test('that the operator closes has no answer', async () => {
    const d = await start()
    const running = ask(d, 'print(pyautogui.prompt("Name?"), pyautogui.alert("Hm"))')
    for (const _ of [1, 2]) await d.session.invoke('approvals.answer', { id: (await asked(d)).id, allow: false, scope: 'once' }, OPERATOR)
    expect((await running).data).toMatchObject({ status: 'ok', output: 'None None\n' })
  })

  test('cannot be answered by an agent', async () => {
    const d = await start()
    const running = ask(d, 'pyautogui.alert("x")')
    const { id } = await asked(d)
    const agent = { id: 'agent', role: 'agent' } as const
    await expect(d.session.invoke('approvals.answer', { id: id, allow: true, scope: 'once' }, agent)).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    })
    await d.session.invoke('stop', {}, OPERATOR)
    expect((await running).error?.code).toBe('STOPPED')
  })

  test('that nobody answers ends the script, which cannot catch that; with a time of its own it is told Timeout', async () => {
    const d = await start(200)
    const late = await ask(d, 'try:\n    pyautogui.prompt("x")\nexcept:\n    print("caught")')
    expect(late).toMatchObject({ error: { code: 'NOT_ASKED' }, data: { output: '' } })
    expect((await ask(d, 'print(pyautogui.confirm("x", timeout=50))')).data).toMatchObject({ output: 'Timeout\n' })
  })

  test('fails where nobody can be asked, as the policy says', async () => {
    for (const [nonInteractive, code] of [
      ['fail', 'APPROVAL_NEEDED'],
      ['deny', 'DENIED'],
      ['allow', 'APPROVAL_NEEDED'],
    ] as const) {
      const d = await open({ config: { policy: { nonInteractive } } })
      try {
        expect((await d.call('script.run', { script: 'pyautogui.alert("x")' })).error?.code).toBe(code)
      } finally {
        await d.close()
      }
    }
  })

  test('can be forbidden by a rule, and is not put to anybody in a rehearsal', async () => {
    const policy = '[[rule]]\ntoolName = "pyautogui.password"\ndecision = "deny"\npriority = 900\n'
    const d = await desk({ ui, policy, ports: { code } })
    expect((await ask(d, 'pyautogui.password("x")')).error?.code).toBe('DENIED')
    const script = 'import pyautogui\nprint(pyautogui.confirm("x"))'
    expect((await d.call('script.run', { script, rehearse: true })).data).toMatchObject({ status: 'ok', output: 'OK\n' })
  })
})

describe('in a terminal', () => {
  const PASSWORD = 'correct-horse-7f3a'
  let world: World
  let pane: Pane | undefined
  beforeEach(() => {
    world = new World()
    writeFileSync(join(world.dir, 'ui.json'), JSON.stringify(ui))
  })
  afterEach(async () => {
    pane?.end()
    pane = undefined
    await world.end()
  })

  /** Everything that was written below the state folder. */
  const written = (): string =>
    readdirSync(world.dir, { recursive: true, withFileTypes: true })
      .filter((e) => e.isFile())
      .map((e) => readFileSync(join(e.parentPath, e.name), 'latin1'))
      .join('\n')

  test('a password is answered from standard input, typed, and written nowhere', async () => {
    await world.up('--ui', join(world.dir, 'ui.json'))
    const running = world.run(['run', '-'], 'p = pyautogui.password("For the mail")\npyautogui.write(p)\nprint(p)\n')
    let waiting: Approval[] = []
    while (waiting.length === 0) waiting = JSON.parse((await world.run(['approvals', 'list', '--json'])).out) as Approval[]
    expect((await world.run(['approvals', 'list'])).out).toContain('"For the mail"')
    expect(await world.run(['approvals', 'allow', waiting[0]!.id, '--answer', '-'], `${PASSWORD}\n`)).toMatchObject({
      code: 0,
      out: 'answered\n',
    })
    const { code, out, err } = await running
    expect(code).toBe(0)
    expect(out + err).not.toContain(PASSWORD)
    expect((await world.run(['call', 'ui.query', '{"selector":"role=textbox"}'])).out).toContain(PASSWORD)
    expect(written()).not.toContain(PASSWORD)
  })

  test('the watching operator types the code of a button, and types an answer that is hidden when it is a password', async () => {
    await world.up('--ui', join(world.dir, 'ui.json'))
    pane = new Pane(world, ['approvals', '--watch'])
    await pane.until('Nothing waits')
    const running = world.run(
      ['run', '-'],
      'a = pyautogui.confirm("Send it?", buttons=["Now", "Later"])\nb = pyautogui.password("Key")\nprint(a, len(str(b)) > 0)\n',
    )
    await pane.answer('"Later"')
    await pane.answer('answer')
    await pane.until('The script reads this')
    pane.type('secret')
    expect(await pane.until('> ******')).not.toContain('> secret')
    pane.keys('Enter')
    expect((await running).out).toContain('Later')
    pane.keys('q')
    await pane.until('exit 0')
  })
})

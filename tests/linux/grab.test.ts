import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture, listen, PYTHON, shown } from '../support/linux.ts'

describeDesktop.each([
  ['GTK 3', 'secrets_gtk3.py'],
  ['Qt 5', 'secrets_qt5.py'],
] as const)('an application that grabs the keyboard while %s has the focus', (_, program) => {
  let desk: RealDesk
  let lines: () => string[]
  let thief: ChildProcess | undefined
  beforeAll(async () => {
    desk = await realDesk()
    lines = listen(desk.sandbox, PYTHON, [fixture(program)])
    await shown(desk.driver, 'Vault')
  })
  afterAll(async () => {
    thief?.kill()
    await desk.close()
  })
  const held = (): string => (JSON.parse(lines().at(-1) ?? '{}') as Record<string, string>)['Notes'] ?? ''

  test('gets none of the keys that were judged to go there, and they go on when it lets go', async () => {
    expect((await desk.call('ui.key', { target: 'name="Notes"', keys: ['a', 'b'] })).error).toBeUndefined()
    await expect.poll(held).toBe('ab')
    let got = ''
    thief = spawn(PYTHON, [fixture('grab_x11.py')], { env: desk.sandbox.env, stdio: ['ignore', 'pipe', 'inherit'] })
    thief.stdout?.on('data', (data: Buffer) => (got += data.toString()))
    await expect.poll(() => got, { timeout: 10_000 }).toContain('grabbed')
    for (const [tool, args] of [
      ['ui.key', { target: 'name="Notes"', keys: ['c'] }],
      ['ui.type', { text: 'secret' }],
      ['gui_type', { text: 'secret' }],
    ] as const)
      expect((await desk.call(tool, args)).status, tool).toBe('error')
    // It does get what another program sends.
    execFileSync('xdotool', ['key', 'z'], { env: desk.sandbox.env })
    await expect.poll(() => got.match(/key/g)?.length).toBe(1)
    expect(held()).toBe('ab')
    thief.kill()
    await expect
      .poll(async () => (await desk.call('ui.key', { target: 'name="Notes"', keys: ['End', 'd'] })).status, { timeout: 10_000 })
      .toBe('success')
    await expect.poll(held).toBe('abd')
  })
})

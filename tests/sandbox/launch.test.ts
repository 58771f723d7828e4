import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeDesktop } from '../support/desktop.ts'
import { type RealDesk, realDesk } from '../support/governed.ts'
import { fixture, PYTHON } from '../support/linux.ts'

describeDesktop('desktop.launch of a program', () => {
  let desk: RealDesk
  beforeAll(async () => {
    const path = process.env['PATH']
    process.env['PATH'] = `.:${path}`
    desk = await realDesk().finally(() => (process.env['PATH'] = path))
  })
  afterAll(() => desk.close())

  const shell = (line: string, timeoutMs = 20_000) => desk.call('desktop.launch', { app: '/bin/sh', args: ['-c', line], timeoutMs })

  test('that leaves another one behind waits for the window of that one', async () => {
    const { data, status } = await shell('(sleep 0.5; exec xterm -T forked) & exit 0')
    expect(status).toBe('success')
    const [pid] = desk.ask('xdotool', 'search', '--name', 'forked', 'getwindowpid').split('\n')
    expect((data as { pid: number }).pid).toBe(Number(pid))
  })

  test('that ends well and leaves nothing says so at once', async () => {
    expect(await shell('exit 0')).toMatchObject({ status: 'success', effect: 'unverified' })
  })

  test('of Qt 6 has a tree, and is operated by it', async () => {
    const { status, error } = await desk.call('desktop.launch', { app: PYTHON, args: [fixture('form_qt6.py')], timeoutMs: 60_000 })
    expect(status, error?.message).toBe('success')
    await desk.call('ui.wait', { until: { uiState: { target: 'role=button && name="Save"', visible: true } }, timeoutMs: 20_000 })
    expect(await desk.call('ui.set', { target: 'role=textbox && name="Name"', value: 'Ada' })).toMatchObject({ effect: 'confirmed' })
    expect(await desk.call('ui.set', { target: 'role=combobox', value: 'Green' })).toMatchObject({ effect: 'confirmed' })
    await desk.call('ui.click', { target: 'role=button && name="Save"' })
    await expect.poll(() => desk.ask('xdotool', 'search', '--name', 'Saved Ada Green'), { timeout: 20_000 }).not.toBe('')
  })

  test.each([
    ['exit 3', 'with code 3'],
    ['kill -9 $$', 'by SIGKILL'],
  ])('that fails says how: %s', async (line, how) => {
    expect(await shell(line)).toMatchObject({ error: { code: 'DRIVER_FAILED', message: expect.stringContaining(how) as string } })
  })

  test('that never shows a window is told as it is, with its process, when the caller has waited as long as they would', async () => {
    const { error } = await shell('exec sleep 300', 500)
    expect(error).toMatchObject({ code: 'TIMEOUT', details: { pid: expect.any(Number) as number } })
    const { pid } = error!.details as { pid: number }
    expect(desk.ask('ps', '-o', 'args=', '-p', String(pid)).trim()).toBe('sleep 300')
  })

  test.each([
    { app: 'xterm', args: ['a\0b'] },
    { app: 'xte\0rm', args: [] },
  ])('with words that cannot be handed over is refused: %j', async (args) => {
    expect(await desk.call('desktop.launch', args)).toMatchObject({ error: { code: 'BAD_ARGS' } })
  })

  test.each(['planted', './planted', '../home/planted', 'org.gnome.Calculator.desktop', '/bin', '/etc/passwd'])(
    'that is none, or lies where applications write, is not found: %s',
    async (app) => {
      const file = join(desk.sandbox.record.dir, 'home', 'planted')
      writeFileSync(file, '#!/bin/sh\nexit 0\n')
      chmodSync(file, 0o755)
      const rehearsed = await desk.call('plan.rehearse', { actions: [{ tool: 'desktop.launch', args: { app } }] })
      expect(rehearsed.data).toMatchObject({ steps: [{ error: { code: 'UNKNOWN_APP' } }] })
      expect(await desk.call('desktop.launch', { app })).toMatchObject({ error: { code: 'UNKNOWN_APP' } })
    },
  )
})

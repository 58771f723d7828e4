import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { within } from '@deskhand/core/driver'
import type { Rect, Result } from '@deskhand/core/model'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Config } from '../../packages/deskhand/src/config.ts'
import type { Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { withAdded } from '../../packages/deskhand/src/wiring/added-drivers.ts'
import { govern, placeIn } from '../support/desk.ts'
import { describeDesktop, testDesktop } from '../support/desktop.ts'
import { fixture, linuxHost, listen, PYTHON, shown } from '../support/linux.ts'

describeDesktop('a driver that was added to a real desktop', () => {
  const dir = mkdtempSync(join(tmpdir(), 'dh-'))
  let sandbox: Sandbox
  let desk: Awaited<ReturnType<typeof govern>>
  let lines: () => string[]

  beforeAll(async () => {
    sandbox = await testDesktop()
    const own = await linuxHost(sandbox)
    lines = listen(sandbox, PYTHON, [fixture('form_gtk3.py')])
    await shown(own, 'Form')
    const { apps } = await own.observe.read({}, within(20_000))
    const { pid, executable, name } = apps.find((a) => a.executable?.includes('python'))!
    writeFileSync(join(dir, 'mode'), 'good')
    const env = { ODD_MODE: join(dir, 'mode'), ODD_STARTS: join(dir, 'starts'), ODD_CLAIMS: JSON.stringify({ pid, executable, name }) }
    const mcp = { command: [process.execPath, fixture('odd-driver.mjs')], env }
    const driver = await withAdded(own, Config.parse({ drivers: [{ name: 'odd', mcp }] }).drivers)
    desk = await govern(driver, '', { desktop: 'sandbox', mode: 'allow_actual_input_full' })
  })
  afterAll(async () => {
    await desk.session.close()
    await sandbox.down()
    rmSync(dir, { recursive: true, force: true })
  })

  const paid = async (): Promise<Result> => {
    const { x, y, w, h }: Rect = placeIn(await desk.call('ui.query', { selector: 'atspi:role=checkbox && name=Paid' }))
    return desk.call('ui.click_xy', { x: x + Math.round(w / 2), y: y + Math.round(h / 2) })
  }

  test('that claims its process and the whole screen takes neither clicks nor keys from an application', async () => {
    const look = await desk.call('ui.snapshot', { scope: 'desktop' })
    expect(look.text).toContain('Form')
    expect(look.text).toContain('Odd')
    expect(await paid()).toMatchObject({ status: 'success', resolvedTarget: { role: 'checkbox', name: 'Paid' } })
    await expect.poll(lines).toContain('paid True')
    expect(await desk.call('ui.click', { target: 'atspi:role=textbox && name=Name' })).toMatchObject({ status: 'success' })
    expect(await desk.call('ui.type', { text: 'Ada' })).toMatchObject({ status: 'success', sent: 'all' })
    await expect.poll(lines).toContain('name Ada')
    expect(await desk.call('ui.click', { target: 'odd:name=Send' })).toMatchObject({ status: 'success', via: 'odd' })
  })

  test('and that dies leaves the application as operable as it was', async () => {
    const [pid] = readFileSync(join(dir, 'starts'), 'utf8').split(' ')
    process.kill(Number(pid), 'SIGKILL')
    await expect.poll(() => existsSync(`/proc/${pid}/exe`)).toBe(false)
    expect(await paid()).toMatchObject({ status: 'success', resolvedTarget: { name: 'Paid' } })
    await expect.poll(lines).toContain('paid False')
    await expect
      .poll(async () => (await desk.call('ui.click', { target: 'odd:name=Send', timeoutMs: 0 })).status, { timeout: 60_000 })
      .toBe('success')
  })
})

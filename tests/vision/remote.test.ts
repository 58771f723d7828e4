import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Vision } from '@deskhand/vision'
import type { Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { describeDesktop, testDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture, PYTHON, start } from '../support/linux.ts'

const soon = { timeout: 90_000, interval: 300 }

describeDesktop('another desktop in the window of a VNC viewer', { timeout: 240_000 }, () => {
  const dir = mkdtempSync(join(tmpdir(), 'dh-remote-'))
  const log = join(dir, 'log')
  const vision = new Vision({ images: [] })
  let remote: Sandbox
  let d: RealDesk

  beforeAll(async () => {
    remote = await testDesktop({ width: 640, height: 480 })
    start(remote, PYTHON, [fixture('form_tk.py'), log])
    const port = await freePort()
    start(remote, 'x11vnc', ['-localhost', '-rfbport', String(port), '-nopw', '-forever', '-quiet'])
    d = await realDesk({ size: { width: 1000, height: 700 }, vision })
    // The viewer gives up where no server listens yet.
    await vi.waitFor(async () => expect(await answers(port)).toBe(true), soon)
    start(d.sandbox, 'xtigervncviewer', ['-SecurityTypes', 'None', '-RemoteResize=0', '-MenuKey=', `127.0.0.1::${port}`])
    expect((await d.call('ui.wait', { until: { text: 'Nothing ordered yet' }, timeoutMs: 60_000 })).error).toBeUndefined()
  }, 180_000)
  afterAll(async () => {
    await d.close()
    await remote.down()
    await vision.close()
    rmSync(dir, { recursive: true, force: true })
  })

  const written = (): string => (existsSync(log) ? readFileSync(log, 'utf8') : '')

  test('shows the controls over there as parts of the viewer', async () => {
    const text = async (): Promise<string> => (await d.call('ui.snapshot')).text ?? ''
    await expect.poll(text, soon).toMatch(/seen button "Place order"/)
    expect(await text()).toMatch(/seen textbox "Customer"/)
  })

  test('is operated by role and name; the program over there tells the effects', async () => {
    expect((await d.call('ui.type', { target: 'role=textbox && name="Customer"', text: 'Ines Ortega' })).error).toBeUndefined()
    await d.call('ui.wait', { until: { text: 'Ines Ortega' }, timeoutMs: 30_000 })
    const ordered = await d.call('ui.click', { target: 'role=button && name="Place order"' })
    expect(ordered).toMatchObject({ status: 'success', sent: 'all' })
    expect(ordered.risk?.factors.map((f) => f.id)).toContain('source.ocr')
    await expect.poll(written, soon).toBe('order Ines Ortega /  / 0\n')
    expect((await d.call('ui.wait', { until: { text: 'Order 7001 for Ines Ortega' }, timeoutMs: 30_000 })).status).toBe('success')
  })
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}

function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return new Promise((done) => socket.once('connect', () => done(true)).once('error', () => done(false))).finally(() =>
    socket.destroy(),
  ) as Promise<boolean>
}

import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { tokens } from '../../packages/core/src/session/see/tokens.ts'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture } from '../support/linux.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
const soon = { timeout: 20_000, interval: 100 }

describeDesktop('what a look at a real application costs', () => {
  let desk: RealDesk
  let server: Server
  beforeAll(async () => {
    desk = await realDesk()
    server = createServer((_, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.end(readFileSync(fixture('pages/twelve-fields.html')))
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  })
  afterAll(async () => {
    server.close()
    server.closeAllConnections()
    await desk.close()
  })

  test('a form of twelve fields in Chromium takes at most 350 tokens, and every field is in it', async () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    await desk.show('Order', 'chromium', ['--no-sandbox', '--force-renderer-accessibility', '--no-first-run', '--disable-gpu', url])
    await expect
      .poll(async () => (await desk.call('ui.query', { selector: 'role=button && name="Send"' })).data, soon)
      .toMatchObject({ count: 1 })
    const { text = '' } = await desk.call('ui.snapshot')
    for (const name of [
      'First name',
      'Last name',
      'Mail',
      'Phone',
      'Street',
      'City',
      'Country',
      'Express',
      'Small',
      'Large',
      'Amount',
      'Notes',
      'Send',
    ])
      expect(text).toContain(`"${name}"`)
    expect(tokens(text), text).toBeLessThanOrEqual(350)
  })

  test('the skeleton of a large application takes at most 400 tokens, and its parts can be looked at', async () => {
    await desk.show('gtk3-widget-factory', 'gtk3-widget-factory')
    await desk.call('ui.window', { op: 'activate', target: 'role=window && app~="widget-factory"' })
    const whole = await desk.call('ui.snapshot', { budget: 20_000 })
    const { text = '' } = await desk.call('ui.snapshot', { skeleton: true })
    expect(tokens(text), text).toBeLessThanOrEqual(400)
    expect(tokens(text)).toBeLessThan(tokens(whole.text ?? '') / 2)
    const [, root] = /^ +(e\d+) .*\(\d+ /m.exec(text) ?? []
    expect((await desk.call('ui.snapshot', { root })).text).toContain(`${root} `)
  })
})

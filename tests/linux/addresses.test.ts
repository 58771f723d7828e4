import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeDesktop } from '../support/desktop.ts'
import { CHROMIUM } from '../support/form-page.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { start } from '../support/linux.ts'

/** A page with a button, which goes where its server says. */
function page(server: string, title: string): string {
  const erase = `<button id="b" ${title === 'late' ? 'disabled' : ''} onclick="fetch('${server}/erased', { method: 'POST' })">Erase</button>`
  const turn =
    "if (to === 'rename') document.title = 'Danger'; else if (to === 'enable') b.disabled = false; else if (to) location.href = to"
  const next = `setInterval(async () => { const to = await (await fetch('${server}/next')).text(); ${turn} }, 100)`
  const body = title === 'frame' ? `<iframe srcdoc="${erase.replaceAll('"', '&quot;')}"></iframe>` : erase
  return `<title>${title}</title>${body}<script>${next}</script>`
}

/** A page that goes to a page that it made itself. */
const made = (of: string): string =>
  `<script>location.href = URL.createObjectURL(new Blob([${JSON.stringify(of).replaceAll('</', '<\\/')}], { type: 'text/html' }))</script>`

describeDesktop('a rule on the address of a page, in Chromium', () => {
  let [dir, next, erased, port] = ['', '', 0, 0]
  let server: Server
  let desk: RealDesk
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'dh-addresses-'))
    server = createServer((request, response) => {
      const told = decodeURIComponent(request.url ?? '').replaceAll(/\/+/g, '/')
      const self = `http://127.0.0.1:${port}`
      response.setHeader('access-control-allow-origin', '*')
      if (told === '/next') return void response.end(next)
      if (told === '/erased') erased++
      // Told until it is followed: an answer is lost where its page is left meanwhile.
      else if (told !== '/favicon.ico') next = ''
      response.setHeader('content-type', 'text/html')
      response.end(told === '/made' ? made(page(self, 'made')) : page(self, told.split('/').at(-1) ?? ''))
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    port = (server.address() as AddressInfo).port
    const urls = JSON.stringify([`http://localhost:${port}/**`, `http://127.0.0.1:${port}/admin/**`, `http://127.0.0.1:${port}/frame*`])
    const rule = (when: string): string => `[[rule]]\ntoolName = "ui.click"\ndecision = "deny"\npriority = 500\nwhen = { ${when} }\n`
    desk = await realDesk({ policy: rule(`url = ${urls}`) + rule('window = "Danger*"') })
    start(desk.sandbox, 'chromium', [...CHROMIUM, `--user-data-dir=${dir}`, `http://127.0.0.1:${port}/first`])
    await shows('first')
  })
  afterAll(async () => {
    await desk?.close()
    server?.closeAllConnections()
    server?.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const shows = async (title: string): Promise<void> => {
    const until = { uiState: { target: `role=document && name="${title}" >> role=button && name="Erase"`, visible: true } }
    const { status } = await desk.call('ui.wait', { until, timeoutMs: 60_000 })
    expect(status, (await desk.call('ui.snapshot')).text).toBe('success')
  }
  const press = async (to: string, title: string): Promise<string | undefined> => {
    next = to.replace('PORT', String(port))
    await shows(title)
    return (await desk.call('ui.click', { target: 'role=button && name="Erase"' })).error?.code
  }

  test.each([
    ['as it is', 'http://127.0.0.1:PORT/admin/a', 'a'],
    ['with a letter spelled as a byte', 'http://127.0.0.1:PORT/%61dmin/b', 'b'],
    ['with two slashes', 'http://127.0.0.1:PORT//admin/c', 'c'],
    ['with a dot behind the host', 'http://localhost.:PORT/d', 'd'],
    ['in a page that it made of itself', 'http://localhost:PORT/made', 'made'],
    ['in a frame of it that has no address', 'http://127.0.0.1:PORT/frame', 'frame'],
  ])('holds for it %s', async (_, to, title) => {
    const before = erased
    expect(await press(to, title)).toBe('DENIED')
    expect(erased).toBe(before)
  })

  test('holds for what the page is called when the call goes on that waited for its button', async () => {
    const before = erased
    next = `http://127.0.0.1:${port}/late`
    await shows('late')
    const waits = desk.call('ui.click', { target: 'role=button && name="Erase"', timeoutMs: 60_000 })
    const decided = async (): Promise<unknown> => (await desk.journal()).findLast((e) => e.type === 'decided' && e.kind === 'click')
    await expect.poll(decided, { timeout: 20_000 }).toMatchObject({ kind: 'click', decision: { verdict: 'allow' } })
    next = 'rename'
    const until = { uiState: { target: 'role=window && name^="Danger"', present: true } }
    expect(await desk.call('ui.wait', { until, timeoutMs: 30_000 })).toMatchObject({ status: 'success' })
    next = 'enable'
    expect(await waits).toMatchObject({ sent: 'none', error: { code: 'DENIED' } })
    expect(erased).toBe(before)
  })

  test('leaves another page alone', async () => {
    const before = erased
    expect(await press('http://127.0.0.1:PORT/other', 'other')).toBeUndefined()
    await expect.poll(() => erased).toBe(before + 1)
  })
})

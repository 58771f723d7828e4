import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Rect, Result } from '@deskhand/core/model'
import { Vision } from '@deskhand/vision'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture, PYTHON } from '../support/linux.ts'

const soon = { timeout: 90_000, interval: 300 }

describeDesktop('a drawing program on the canvas of a page', { timeout: 180_000 }, () => {
  const profile = mkdtempSync(join(tmpdir(), 'dh-canvas-'))
  const vision = new Vision({ images: [] })
  /** What the page sent to its server. */
  const done: string[] = []
  const server = createServer((request, response) => {
    if (request.method !== 'POST')
      return void response.setHeader('content-type', 'text/html').end(readFileSync(fixture('pages/drawing.html')))
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      done.push(body)
      response.end()
    })
  })
  let d: RealDesk

  beforeAll(async () => {
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    d = await realDesk({ size: { width: 1100, height: 800 }, vision })
    const flags = ['--no-sandbox', '--force-renderer-accessibility', '--no-first-run', '--disable-gpu', `--user-data-dir=${profile}`]
    await d.show('Sketch', 'chromium', [...flags, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`])
    await vi.waitFor(async () => expect(await outline()).toContain('seen "Square"'), soon)
  }, 120_000)
  afterAll(async () => {
    await d.close()
    await vision.close()
    server.closeAllConnections()
    server.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }, 60_000)

  const outline = async (): Promise<string> => (await d.call('ui.snapshot', { budget: 20_000 })).text ?? ''
  /** The id of a part, by what is written on it. */
  const idOf = async (name: string): Promise<string> =>
    new RegExp(`(e\\d+) seen (?:button )?"${name}"`).exec(await outline())?.[1] ?? `no ${name}`
  const click = async (args: unknown): Promise<Result> => {
    const result = await d.call('ui.click', args)
    expect(result.error).toBeUndefined()
    return result
  }

  test('is outlined inside its area, each part marked as seen, and what elements tell is not told a second time', async () => {
    const text = await outline()
    expect(text).toMatch(/area at \d+,\d+ \d+x\d+: no tree, its parts are read from pixels and may be misread/)
    expect(text).toMatch(/seen button "Circle" \| e\d+ seen "Square" \| e\d+ seen "Undo" \| e\d+ seen "Send drawing"/)
    expect(text).toMatch(/e\d+ button "Help"/)
    expect(text).not.toMatch(/seen (?:\w+ )?"Help"/)
  })

  test('is drawn with by what its parts are called, and the page sends what was drawn', async () => {
    const send = await idOf('Send drawing')
    const chosen = await click({ target: 'role=button && name="Square"' })
    expect(chosen.risk?.factors.map((f) => f.id)).toEqual(expect.arrayContaining(['source.ocr', 'source.unread']))
    const decided = (await d.journal()).findLast((e) => e.type === 'decided' && e.kind === 'click')
    expect(decided).toMatchObject({ targets: [{ source: 'ocr', role: 'region', name: 'Square' }] })
    const { data } = await d.call('ui.query', { selector: 'attr.unread=area' })
    const { x, y } = (data as { matches: { bounds: Rect }[] }).matches[0]!.bounds
    await d.call('ui.click_xy', { x: x + 100, y: y + 150, verify: { text: 'Shapes drawn: 1' } })
    // The clock ticks meanwhile, and the sheet was drawn on.
    expect(await idOf('Send drawing')).toBe(send)
    await click({ target: send, verify: { text: 'Drawing sent' } })
    await expect.poll(() => done, soon).toHaveLength(1)
    expect(JSON.parse(done[0] ?? '')).toEqual([{ kind: 'Square', x: expect.closeTo(100, -1), y: expect.closeTo(150, -1) }])
  })

  test('relates what is only seen to what elements tell', async () => {
    const below = 'role=button && name="Help" >> below >> role=button && name="Circle"'
    expect((await d.call('ui.query', { selector: below })).data).toMatchObject({ count: 1 })
    await click({ target: 'role=button && name="Square" >> right-of >> role=button' })
    await expect.poll(outline, soon).toContain('Empty sheet')
  })
})

describeDesktop('a drawing of which pictures are denied', { timeout: 120_000 }, () => {
  const vision = new Vision({ images: [] })
  const policy = '[[rule]]\ntoolName = "ui.capture"\ndecision = "deny"\npriority = 900\n'
  let d: RealDesk
  beforeAll(async () => {
    d = await realDesk({ size: { width: 900, height: 700 }, vision, policy })
    await d.show('Map', PYTHON, [fixture('drawn_gtk3.py')])
  }, 60_000)
  afterAll(async () => {
    await d.close()
    await vision.close()
  })

  test('stays an unread area: its pixels are not read', async () => {
    const outline = async (): Promise<string> => (await d.call('ui.snapshot')).text ?? ''
    await expect.poll(outline, soon).toContain('unread area')
    expect(await outline()).not.toContain('seen ')
    expect((await d.call('ui.click', { target: 'ocr:"place 1"' })).error?.code).toBe('DENIED')
  })
})

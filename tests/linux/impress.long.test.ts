import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeDesktop } from '../support/desktop.ts'
import { type RealDesk, realDesk } from '../support/governed.ts'

const soon = { timeout: 60_000, interval: 200 }

const NAMES = { office: 'office', draw: 'drawing', text: 'text', svg: 'svg-compatible', presentation: 'presentation' }
const slide = (n: number): string =>
  `<draw:page draw:name="Slide ${n}"><draw:frame svg:width="10cm" svg:height="3cm" svg:x="2cm" svg:y="2cm"><draw:text-box><text:p>Hello ${n}</text:p></draw:text-box></draw:frame></draw:page>`
const talk = `<?xml version="1.0" encoding="UTF-8"?><office:document ${Object.entries(NAMES)
  .map(([name, urn]) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${urn}:1.0"`)
  .join(' ')} office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.presentation"><office:body><office:presentation>${[
  1, 2, 3,
]
  .map(slide)
  .join('')}</office:presentation></office:body></office:document>`

describeDesktop('a presentation of LibreOffice', { timeout: 180_000 }, () => {
  let desk: RealDesk
  beforeAll(async () => {
    desk = await realDesk({ size: { width: 1280, height: 900 } })
    const file = join(desk.sandbox.env['HOME'] ?? '', 'talk.fodp')
    writeFileSync(file, talk)
    await desk.show('LibreOffice Impress', 'soffice', ['--norestore', '--nologo', '--nofirststartwizard', file])
  }, 180_000)
  afterAll(() => desk.close())

  const outline = async (): Promise<string> => (await desk.call('ui.snapshot')).text ?? ''

  test('tells the thumbnails of its slides, that what they show is only drawn, and a click on one goes to its slide', async () => {
    for (const n of [1, 2, 3]) await expect.poll(outline, soon).toMatch(new RegExp(`panel "Slide ${n}".*\\n.*unread area`))
    const clicked = await desk.call('ui.click', { target: 'window~="Impress" >> role=panel && name="Slide 2"', timeoutMs: 20_000 })
    expect(clicked, JSON.stringify(clicked.error)).toMatchObject({ status: 'success' })
    await expect.poll(outline, soon).toMatch(/"Slide 2 of 3"/)
    expect(await outline()).toMatch(/panel "Slide 2"[^\n]* selected/)
  })
})

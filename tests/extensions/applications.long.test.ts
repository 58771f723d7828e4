import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bringUp, type Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { use, World } from '../support/cli.ts'
import { describeDesktop } from '../support/desktop.ts'

const EXAMPLES = resolve(import.meta.dirname, '../../examples/extensions')
const SHEET = `<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet><table:table table:name="Costs"><table:table-row><table:table-cell office:value-type="string"><text:p>Rent</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document>`

describeDesktop('the examples of extensions', () => {
  let world: World
  let sandbox: Sandbox
  let agent: Client

  beforeEach(async () => {
    world = new World()
    for (const name of ['calc', 'chromium']) expect((await world.run(['extension', 'add', join(EXAMPLES, name), '--yes'])).code).toBe(0)
    sandbox = await bringUp({ stateDir: join(world.env['DESKHAND_STATE']!, 'sandboxes'), width: 1600, height: 1000 })
    await world.up('--desktop', 'sandbox', '--sandbox', sandbox.record.id)
    agent = await world.mcp()
  })
  afterEach(async () => {
    await world.stop()
    await sandbox.down()
    await world.end()
  })

  const found = async (selector: string): Promise<number> => {
    const { record } = await use(agent, 'ui.query', { selector, timeoutMs: 20_000 })
    return (record['data'] as { count: number }).count
  }

  test('Calc: its names find one thing each, and what is entered and saved by them is in the file', async () => {
    const file = world.file('costs.fods', SHEET)
    await use(agent, 'desktop.launch', {
      app: 'soffice',
      args: ['--norestore', '--nologo', '--nofirststartwizard', file],
      timeoutMs: 90_000,
    })
    const cell = { until: { uiState: { target: 'role=cell && name="A2"', present: true } }, timeoutMs: 90_000 }
    expect((await use(agent, 'ui.wait', cell)).record).toMatchObject({ status: 'success' })
    const names = ['save', 'exportPdf', 'print', 'undo', 'sortAscending', 'sortDescending', 'functionWizard', 'window']
    const counts: [string, number][] = []
    for (const name of names) counts.push([name, await found(`app:calc.${name}`)])
    expect(counts).toEqual(names.map((name) => [name, 1]))
    const entered = await use(agent, 'play.run', { name: 'calc.enter', with: { cell: 'A2', value: 'Heating' } })
    expect(entered.record).toMatchObject({ status: 'success' })
    await until('a question about the format, or the saved file', async () => {
      if (readFileSync(file, 'utf8').includes('Heating')) return true
      const keep = 'role=button && name~="Keep Current Format" || role=button && name^="Use Flat XML"'
      if ((await found(keep)) > 0) await use(agent, 'ui.click', { target: keep })
      return false
    })
    expect(readFileSync(file, 'utf8')).toContain('Heating')
  }, 240_000)

  test('Chromium: its names find one thing each, and the address bar leads to a page', async () => {
    const asked: string[] = []
    const server: Server = createServer((req, res) => {
      asked.push(req.url ?? '')
      res
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<title>${req.url}</title><button>Buy</button><label>Card number <input value="4000-1234"></label>`)
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    try {
      const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const flags = ['--no-sandbox', '--force-renderer-accessibility', '--no-first-run', '--disable-gpu']
      await use(agent, 'desktop.launch', { app: 'chromium', args: [...flags, `${base}/first`], timeoutMs: 90_000 })
      const page = { until: { uiState: { target: 'app:chromium.page >> role=button && name="Buy"', present: true } }, timeoutMs: 90_000 }
      expect((await use(agent, 'ui.wait', page)).record).toMatchObject({ status: 'success' })
      const names = ['addressBar', 'back', 'forward', 'reload', 'bookmark', 'newTab', 'page']
      const counts: [string, number][] = []
      for (const name of names) counts.push([name, await found(`app:chromium.${name}`)])
      expect(counts).toEqual(names.map((name) => [name, 1]))
      const opened = await use(agent, 'play.run', { name: 'chromium.open', with: { address: `${base}/second` } })
      expect(opened.record).toMatchObject({ status: 'success' })
      await until('the second page is asked for', () => asked.includes('/second'))
      const card = 'app:chromium.page >> role=textbox && name="Card number"'
      expect(await found(card)).toBe(1)
      const look = await use(agent, 'ui.snapshot', { scope: 'desktop', includeTree: true })
      expect(look.text).toContain('Card number')
      expect(JSON.stringify(look)).not.toContain('4000-1234')
    } finally {
      server.close()
      server.closeAllConnections()
    }
  }, 240_000)
})

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 300; i++) {
    if (await holds()) return
    await sleep(200)
  }
  throw new Error(`${what} did not come`)
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { within } from '@deskhand/core/driver'
import { HttpChannel, type HttpOptions } from '../../packages/deskhand/src/drivers/http-channel.ts'
import { openMcpDriver } from '../../packages/deskhand/src/drivers/mcp-driver.ts'
import { BIN } from '../support/cli.ts'
import { describeWine, NODE, onZ, openWine } from '../support/wine.ts'

describeWine('Windows, on Wine', () => {
  test('deskhand driver windows --mcp serves the driver there to a client elsewhere', async () => {
    const wine = await openWine()
    try {
      const log = join(wine.folder, 'driver.out')
      wine.run([NODE, onZ(BIN), 'driver', 'windows', '--mcp', '--port', '0'], { log })
      await expect.poll(() => readFileSync(log, 'utf8'), { timeout: 90_000 }).toMatch(/^\{"url".*\}/m)
      const [line = ''] = /^\{"url".*\}/m.exec(readFileSync(log, 'utf8')) ?? []
      const driver = await openMcpDriver(new HttpChannel(JSON.parse(line) as HttpOptions), 60_000)
      expect(driver.info).toMatchObject({ kind: 'windows', can: { tree: { ok: true }, 'step:press': { ok: true } } })
      wine.run(['notepad.exe'])
      const roles = async (): Promise<string[]> => (await driver.observe.read({}, within(20_000))).nodes.map((node) => node.role)
      await expect.poll(roles, { timeout: 60_000 }).toContain('textbox')
      await driver.close()
    } finally {
      await wine.down()
    }
  }, 240_000)
})

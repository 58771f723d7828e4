import { readFileSync, statSync } from 'node:fs'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { AppDesk } from '../support/apps.ts'
import { describeDesktop } from '../support/desktop.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

describeDesktop('a window without a tree, from a shell', () => {
  let desk: AppDesk
  beforeAll(async () => {
    desk = await AppDesk.open()
    await desk.launch('xterm')
  })
  afterAll(() => desk.close())

  test.each([
    ['a look', ['snapshot']],
    ['a key', ['key', 'x']],
  ])('%s says where its picture is, and only the owner can read it', async (_, command) => {
    const { out } = await desk.world.run(command)
    const [, file = '', width, height] = /^picture: (.+\.png) \((\d+)x(\d+)\)$/m.exec(out) ?? []
    expect(file, out).not.toBe('')
    const png = readFileSync(file)
    expect([png.toString('latin1', 1, 4), png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual(['PNG', Number(width), Number(height)])
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })
})

import { once } from 'node:events'
import { join } from 'node:path'
import { type Driver, within } from '@deskhand/core/driver'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { govern, type TestDesk } from '../support/desk.ts'
import { fixture, lines } from '../support/provider-window.ts'
import { Seen } from '../support/seen.ts'
import { describeWine, inside, NODE, onZ, openWine, type Wine } from '../support/wine.ts'

const seen = new Seen('scale')

describeWine('a program that knows nothing of the density of the screen, on Wine at 144 dpi', () => {
  let wine: Wine
  let driver: Driver
  let desk: Pick<TestDesk, 'session' | 'call'>

  beforeAll(async () => {
    wine = await openWine()
    // Programs are told of half the size from then on, as Windows does with older ones: each starts with what the registry says.
    for (const [name, value] of [
      ['LogPixels', '144'],
      ['DpiScalingVer', '4096'],
    ] as const)
      await once(wine.run(['reg', 'add', 'HKCU\\Control Panel\\Desktop', '/v', name, '/t', 'REG_DWORD', '/d', value, '/f']), 'exit')
    await vi.waitFor(() => expect(inside(wine, 'wineserver')).toEqual([]), { timeout: 60_000 })
    driver = (await wine.driver()).driver
    desk = await govern(driver, '', { desktop: 'sandbox', mode: 'allow_actual_input_full' })
    const words = [NODE, onZ(fixture('controls.mjs')), '5', onZ(join(wine.folder, 'controls.log'))]
    wine.run(words, { log: join(wine.folder, 'controls.out') })
    const nodes = async () => (await driver.observe.read({}, within(60_000))).nodes
    await vi.waitFor(async () => expect((await nodes()).some((n) => n.role === 'slider')).toBe(true), { timeout: 60_000 })
  })
  afterAll(async () => {
    await desk.session.close()
    await driver.close()
    await wine.down()
  })
  const log = (): string[] => lines(join(wine.folder, 'controls.log'))

  test.each([
    ['role=row && name="Order 2"', 'row 2'],
    ['role=tab && name="Advanced"', 'tab 1'],
  ])('is clicked where its window shows %s', async (target, line) => {
    const { error } = await desk.call('ui.click', { target })
    expect(error?.message).toBeUndefined()
    await vi.waitFor(() => expect(log()).toContain(line), { timeout: 20_000 })
  })

  test('docs/windows.md says of densities what was seen here', () => {
    seen.on('Wine', 'rows and tabs of a program that Windows scales, clicked where they are shown')
    seen.mustBeTold()
  })
})

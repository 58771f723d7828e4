import { within } from '@deskhand/core/driver'
import { expect, test } from 'vitest'
import { driverFactory, type DriverKind, hostKind } from './driver-registry.ts'

test('every driver is registered under the kind that it reports', async () => {
  for (const kind of ['linux', 'virtual', 'windows'] satisfies DriverKind[]) expect((await driverFactory(kind)).kind).toBe(kind)
})

test('a driver reports the desktop under the name that its owner gave', async () => {
  const { open } = await driverFactory('virtual')
  const driver = await open({ urn: 'urn:deskhand:virtual:mine', env: {}, ui: [] })
  expect(await driver.observe.info(within(1000))).toMatchObject({ kind: 'virtual', desktop: 'urn:deskhand:virtual:mine' })
  await driver.close()
})

test('a platform without a driver is told as such, with a way out', () => {
  expect([hostKind('linux'), hostKind('win32')]).toEqual(['linux', 'windows'])
  expect(() => hostKind('sunos')).toThrow(
    expect.objectContaining({ code: 'NO_DESKTOP', next: expect.stringContaining('virtual') as string }) as Error,
  )
})

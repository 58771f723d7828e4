import { expect, test } from 'vitest'
import { toolkitOf } from './toolkit.ts'

test('LibreOffice is known by its program, so that what it did not say in time leads to no question that it cannot bear', () => {
  const office = '/usr/lib/libreoffice/program/soffice.bin'
  for (const name of ['gtk', undefined]) expect(toolkitOf(name, office)).toMatchObject({ isDisplaced: true, crashesOnCache: true })
  expect(toolkitOf('gtk', '/usr/bin/mousepad')).toMatchObject({ isDisplaced: false, crashesOnCache: false })
})

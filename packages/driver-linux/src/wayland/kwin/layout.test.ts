import { expect, test } from 'vitest'
import { layoutsIn } from './layout.ts'

test('the layouts of a person, with their variants, are read from the configuration of KDE', () => {
  expect(
    layoutsIn('[$Version]\nupdate_info=a\n\n[Layout]\nLayoutList=us,de\nUse=true\nVariantList=,nodeadkeys\n\n[Other]\nLayoutList=fr\n'),
  ).toEqual(['us', 'de(nodeadkeys)'])
  expect(layoutsIn('[Layout]\nUse=false\n')).toEqual([])
  expect(layoutsIn('')).toEqual([])
})

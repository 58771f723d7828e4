import { expect, test } from 'vitest'
import { appNames } from './identity.ts'

const sureOf = (executable: string): readonly string[] => appNames({ id: '1', name: 'App', pid: 1, executable }, 'sandbox').sure

test('an executable is called as its file is, on Windows too', () => {
  expect(sureOf('/usr/bin/Mousepad')).toEqual(['mousepad'])
  expect(sureOf('C:\\Windows\\notepad.exe')).toEqual(['notepad.exe'])
  expect(sureOf('\\\\server\\tools\\notepad.exe')).toEqual(['notepad.exe'])
})

test('a backslash in the name of a file does not make it pass for another one', () => {
  expect(sureOf('/tmp/evil\\mousepad')).toEqual(['evil\\mousepad'])
})

test('what an added driver tells of is known by that driver, whatever it calls itself', () => {
  const app = { id: 'bank', name: 'mousepad', executable: '/usr/bin/mousepad', added: { driver: 'erp', risk: 'low' as const } }
  for (const desktop of ['virtual', 'sandbox', 'host'] as const) {
    const { sure, claimed } = appNames({ ...app }, desktop)
    expect(sure).toEqual(['driver:erp'])
    expect(claimed).toEqual(expect.arrayContaining(['driver:erp', 'mousepad', 'bank']))
  }
})

import { expect, test } from 'vitest'
import { controlRole, shown } from './roles.ts'

test('a button is what its style makes of it', () => {
  expect([0, 1, 3, 4, 7, 9].map((style) => controlRole('Button', 0x50000000 | style))).toEqual([
    'button',
    'button',
    'checkbox',
    'radio',
    'group',
    'radio',
  ])
  expect(controlRole('BUTTON', 0x1003)).toBe('togglebutton')
})

test('a list view is a table while it shows columns', () => {
  expect([0, 1, 3].map((style) => controlRole('SysListView32', style))).toEqual(['list', 'table', 'list'])
})

test('every RichEdit is a text, and an unknown class a panel', () => {
  expect([controlRole('RICHEDIT50W', 4), controlRole('RichEdit20W', 4), controlRole('Chrome_WidgetWin_1', 0)]).toEqual([
    'textbox',
    'textbox',
    'panel',
  ])
})

test('the mark before a mnemonic is not shown, a doubled one is', () => {
  expect(shown('&Save As...\tCtrl+S')).toEqual({ text: 'Save As...', mnemonic: 's' })
  expect(shown('Salt && Pepper')).toEqual({ text: 'Salt & Pepper' })
  expect(shown('R&&D &now')).toEqual({ text: 'R&D now', mnemonic: 'n' })
})

import type { Role } from '@deskhand/core/model'

const PUSH_LIKE = 0x1000

/** What the low four bits of a button's style make of it. */
const BUTTONS: Readonly<Record<number, Role>> = {
  2: 'checkbox',
  3: 'checkbox',
  4: 'radio',
  5: 'checkbox',
  6: 'checkbox',
  7: 'group',
  9: 'radio',
}
const [SS_ICON, SS_BITMAP, SS_METAFILE, SS_ETCHED_HORIZONTAL] = [3, 0xe, 0xf, 0x10]

const CLASSES: Readonly<Record<string, Role>> = {
  edit: 'textbox',
  listbox: 'listbox',
  combobox: 'combobox',
  comboboxex32: 'combobox',
  systreeview32: 'tree',
  systabcontrol32: 'tablist',
  sysheader32: 'row',
  msctls_trackbar32: 'slider',
  msctls_updown32: 'spinbutton',
  msctls_progress32: 'progressbar',
  msctls_statusbar32: 'statusbar',
  msctls_hotkey32: 'textbox',
  sysdatetimepick32: 'spinbutton',
  sysmonthcal32: 'calendar',
  syslink: 'link',
  toolbarwindow32: 'toolbar',
  rebarwindow32: 'group',
  scrollbar: 'scrollbar',
  tooltips_class32: 'tooltip',
  '#32768': 'menu',
  mdiclient: 'panel',
}

/** The role of a control by its window class and style. */
export function controlRole(windowClass: string, style: number): Role {
  const name = windowClass.toLowerCase()
  if (name === 'button') {
    const role = BUTTONS[style & 0xf] ?? 'button'
    return (style & PUSH_LIKE) !== 0 && role !== 'group' ? 'togglebutton' : role
  }
  if (name === 'static') {
    const kind = style & 0x1f
    if (kind === SS_ICON || kind === SS_BITMAP || kind === SS_METAFILE) return 'image'
    return kind >= SS_ETCHED_HORIZONTAL ? 'separator' : 'label'
  }
  if (name === 'syslistview32') return (style & 3) === 1 ? 'table' : 'list'
  if (name.startsWith('richedit')) return 'textbox'
  return CLASSES[name] ?? 'panel'
}

export const isPassword = (style: number): boolean => (style & 0x20) !== 0
export const isMultiline = (style: number): boolean => (style & 4) !== 0
export const isReadOnly = (style: number): boolean => (style & 0x800) !== 0
export const isDefaultButton = (style: number): boolean => (style & 0xf) === 1

/** A text as it is shown, and the key that its underlined letter stands for. */
export function shown(text: string): { text: string; mnemonic?: string } {
  const [words = ''] = text.split('\t')
  const mnemonic = /(?<!&)(?:&&)*&([^&\s])/.exec(words)?.[1]?.toLowerCase()
  const plain = words.replaceAll(/&(.)/gu, '$1').replaceAll(/\r\n?/g, '\n').trim()
  return mnemonic === undefined ? { text: plain } : { text: plain, mnemonic }
}

import type { Role } from '@deskhand/core/model'

/** AT-SPI's roles by number, in the order of its header file, as canonical ones. */
// prettier-ignore
const ROLES: readonly Role[] = [
  'unknown', 'label', 'alert', 'image', 'image', 'calendar', 'canvas', 'checkbox', 'menuitemcheckbox', 'dialog',
  'columnheader', 'combobox', 'textbox', 'image', 'group', 'slider', 'dialog', 'panel', 'canvas', 'dialog',
  'group', 'group', 'dialog', 'window', 'panel', 'document', 'image', 'image', 'window', 'label',
  'panel', 'list', 'listitem', 'menu', 'menubar', 'menuitem', 'panel', 'tab', 'tablist', 'panel',
  'textbox', 'menu', 'progressbar', 'button', 'radio', 'menuitemradio', 'panel', 'rowheader', 'scrollbar', 'scrollpane',
  'separator', 'slider', 'spinbutton', 'panel', 'statusbar', 'table', 'cell', 'columnheader', 'rowheader', 'menuitem',
  'terminal', 'textbox', 'togglebutton', 'toolbar', 'tooltip', 'tree', 'tree', 'unknown', 'panel', 'window',
  'unknown', 'group', 'group', 'paragraph', 'separator', 'application', 'textbox', 'textbox', 'panel', 'textbox',
  'canvas', 'label', 'document', 'heading', 'group', 'group', 'group', 'form', 'link', 'window',
  'row', 'treeitem', 'document', 'document', 'document', 'document', 'document', 'group', 'listbox', 'group',
  'image', 'alert', 'alert', 'progressbar', 'titlebar', 'group', 'group', 'group', 'label', 'group',
  'group', 'group', 'group', 'group', 'slider', 'label', 'label', 'group', 'group', 'label',
  'label', 'list', 'label', 'label', 'label', 'group', 'group', 'group', 'group', 'button',
]

export const roleOf = (number: number): Role => ROLES[number] ?? 'unknown'

/** The numbers that the mirror itself has to know. */
export const ROLE = {
  ALERT: 2,
  COLOR_CHOOSER: 9,
  COMBO_BOX: 11,
  DIALOG: 16,
  FILLER: 20,
  FRAME: 23,
  LIST: 31,
  LIST_ITEM: 32,
  MENU: 33,
  MENU_ITEM: 35,
  PAGE_TAB: 37,
  PAGE_TAB_LIST: 38,
  PANEL: 39,
  PASSWORD_TEXT: 40,
  POPUP_MENU: 41,
  ROOT_PANE: 46,
  SCROLL_PANE: 49,
  SPIN_BUTTON: 52,
  TERMINAL: 60,
  TOGGLE_BUTTON: 62,
  TOOL_TIP: 64,
  TREE: 65,
  TABLE_ROW: 90,
  WINDOW: 69,
  APPLICATION: 75,
  DOCUMENT_WEB: 95,
} as const

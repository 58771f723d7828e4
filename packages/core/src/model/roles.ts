/** The canonical roles, in ARIA's spelling where ARIA has one. */
// oxfmt-ignore
export const ROLES = [
  'application', 'window', 'dialog', 'alert', 'button', 'togglebutton', 'checkbox', 'radio', 'radiogroup', 'switch',
  'textbox', 'searchbox', 'combobox', 'spinbutton', 'slider', 'progressbar', 'scrollbar', 'separator', 'link', 'image',
  'label', 'heading', 'paragraph', 'list', 'listitem', 'listbox', 'option', 'menu', 'menubar', 'menuitem',
  'menuitemcheckbox', 'menuitemradio', 'tab', 'tablist', 'tabpanel', 'tree', 'treeitem', 'table', 'row', 'cell',
  'columnheader', 'rowheader', 'toolbar', 'statusbar', 'tooltip', 'group', 'panel', 'scrollpane', 'document', 'terminal',
  'canvas', 'form', 'titlebar', 'calendar', 'unknown',
] as const
export type Role = (typeof ROLES)[number]

/** What other systems call a role, in lower case without spaces, dashes or underscores. */
// oxfmt-ignore
const ALIASES: Record<string, Role> = {
  // UI Automation control types
  edit: 'textbox', checkboxcontrol: 'checkbox', radiobutton: 'radio', hyperlink: 'link', listitem: 'listitem',
  dataitem: 'row', datagrid: 'table', headeritem: 'columnheader', header: 'row', pane: 'panel', text: 'label',
  splitbutton: 'button', thumb: 'slider', tabitem: 'tab', custom: 'unknown', spinner: 'spinbutton',
  // AT-SPI
  frame: 'window', pushbutton: 'button', entry: 'textbox', passwordtext: 'textbox', static: 'label',
  pagetab: 'tab', pagetablist: 'tablist', tablecell: 'cell', tablerow: 'row', treetable: 'tree', tableheader: 'row',
  columnheader: 'columnheader', tablecolumnheader: 'columnheader', tablerowheader: 'rowheader', checkmenuitem: 'menuitemcheckbox',
  radiomenuitem: 'menuitemradio', filler: 'group', icon: 'image', filechooser: 'dialog', colorchooser: 'dialog',
  fontchooser: 'dialog', scrollbar: 'scrollbar', layeredpane: 'panel', rootpane: 'panel', viewport: 'panel',
  splitpane: 'panel', internalframe: 'window', documentframe: 'document', documentweb: 'document', documenttext: 'document',
  documentspreadsheet: 'document', drawingarea: 'canvas', grouping: 'group', section: 'group', block: 'group',
  statictext: 'label', pushbuttonmenu: 'button', toolbar: 'toolbar', levelbar: 'progressbar', infobar: 'alert',
  notification: 'alert', popupmenu: 'menu', tearoffmenuitem: 'menuitem', descriptionlist: 'list', invalid: 'unknown',
  // ARIA
  grid: 'table', gridcell: 'cell', treegrid: 'table', alertdialog: 'alert', status: 'statusbar', figure: 'image', textarea: 'textbox',
  // AX
  axbutton: 'button', axtextfield: 'textbox', axtextarea: 'textbox', axstatictext: 'label', axcheckbox: 'checkbox',
  axradiobutton: 'radio', axpopupbutton: 'combobox', axmenuitem: 'menuitem', axmenu: 'menu', axmenubar: 'menubar',
  axwindow: 'window', axsheet: 'dialog', axtable: 'table', axrow: 'row', axcell: 'cell', axlink: 'link', aximage: 'image',
  axgroup: 'group', axslider: 'slider', axscrollarea: 'scrollpane', axoutline: 'tree', axapplication: 'application',
  // AVIS element types and everyday words
  textfield: 'textbox', input: 'textbox', passwordfield: 'textbox', dropdown: 'combobox',
  select: 'combobox', selectbox: 'combobox', radiogroup: 'radiogroup', spin: 'spinbutton', tabs: 'tablist', img: 'image',
  picture: 'image', container: 'group', contextmenu: 'menu', checkbutton: 'checkbox', menubutton: 'button', searchfield: 'searchbox', editbox: 'textbox', headline: 'heading', toggle: 'switch', tableview: 'table',
}

const plain = (s: string): string => s.toLowerCase().replaceAll(/[\s_-]/g, '')
const canonical = new Map<string, Role>(ROLES.map((r) => [r, r]))

/** The canonical role for any system's word; undefined for an unknown word. */
export function toRole(word: string): Role | undefined {
  const w = plain(word)
  return canonical.get(w) ?? (Object.hasOwn(ALIASES, w) ? ALIASES[w] : undefined)
}

/** Roles a person can operate: what an outline shows by default. */
// oxfmt-ignore
export const INTERACTIVE: ReadonlySet<string> = new Set<Role>([
  'button', 'togglebutton', 'checkbox', 'radio', 'switch', 'textbox', 'searchbox', 'combobox', 'spinbutton', 'slider',
  'link', 'listitem', 'option', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'tab', 'treeitem', 'cell', 'row',
  'columnheader', 'terminal',
])

/** Roles that do something when they are pressed, whatever of them is hit. */
// oxfmt-ignore
export const PRESSED: ReadonlySet<string> = new Set<Role>([
  'button', 'togglebutton', 'checkbox', 'radio', 'switch', 'link', 'menuitem', 'menuitemcheckbox', 'menuitemradio',
])

/** Roles that stand for a window of their own. */
export const WINDOWS: ReadonlySet<string> = new Set<Role>(['window', 'dialog', 'alert'])

/** Roles that keep what is typed as text. */
export const TEXT_CONTROLS: ReadonlySet<string> = new Set<Role>(['textbox', 'searchbox', 'spinbutton', 'combobox', 'terminal', 'document'])

/** Roles whose value the wheel, the arrow keys or a drag can change. */
export const VALUE_CONTROLS: ReadonlySet<string> = new Set<Role>(['spinbutton', 'slider', 'combobox'])

export const isValueControl = (role: string): boolean => VALUE_CONTROLS.has(role)

/** Compound controls and the controls that they consist of. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  combobox: ['textbox', 'searchbox', 'button', 'togglebutton', 'listitem', 'option', 'menuitem'],
  spinbutton: ['textbox', 'button'],
  row: ['cell', 'rowheader', 'columnheader'],
  listitem: ['cell', 'row', 'option'],
  option: ['cell', 'listitem'],
  treeitem: ['cell', 'row'],
}

/** Whether a press on `inner` means the element around it: text and pictures are parts of it, and what a compound control consists of. */
export function isPartOf(inner: string, outer: string): boolean {
  return !INTERACTIVE.has(inner) || PARTS[outer]?.includes(inner) === true
}

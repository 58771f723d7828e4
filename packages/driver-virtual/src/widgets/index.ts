import type { Element, Kind } from '../model/element.ts'
import { check, radio } from './check.ts'
import { list, option, row, select, treeitem } from './choose.ts'
import { menu, menuitem } from './menu.ts'
import { range } from './range.ts'
import { button, plain } from './simple.ts'
import { tab } from './tabs.ts'
import { text } from './text.ts'
import type { Widget } from './widget.ts'

const WIDGETS: Record<Kind, Widget> = {
  window: plain,
  container: plain,
  static: plain,
  menubar: plain,
  tabs: plain,
  cell: plain,
  list,
  table: list,
  tree: list,
  option,
  row,
  treeitem,
  select,
  button,
  check,
  radio,
  text,
  range,
  menu,
  menuitem,
  tab,
}

export const widgetOf = (el: Element): Widget => WIDGETS[el.kind]

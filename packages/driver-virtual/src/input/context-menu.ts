import type { Point } from '@deskhand/core/model'
import type { Desktop } from '../desktop.ts'
import { contextPlace } from '../layout-popups.ts'
import { closest, type Element } from '../model/element.ts'
import { closePopups, openPopup } from '../popups.ts'

/** Opens the menu that the element, or something around it, names as its own. */
export function openContextMenu(desk: Desktop, el: Element, at: Point): void {
  const owner = closest(el, (e) => e.attributes.context_menu !== undefined)
  const menu = owner && desk.byId.get(owner.attributes.context_menu ?? '')
  if (!menu || menu.kind !== 'menu') return
  closePopups(desk)
  contextPlace.set(menu, { ...at })
  openPopup(desk, menu)
}

import type { Rect } from '@deskhand/core/model'
import type { MirrorNode } from './node.ts'
import { ROLE } from './roles.ts'

/** The frame of a popup around its entries is not wider than this. */
const FRAME = 16

/** Java tells the place of a menu's entries as if the popup that shows them lay on the menu's name; the popup itself is where it says. */
export function placeEntry(node: MirrorNode): void {
  const { area, parent: menu } = node
  const from = menu?.bounds
  const popup = menu === undefined || !node.isShowing ? undefined : popupOf(menu)
  node.bounds =
    area === undefined || from === undefined || popup === undefined || area.w <= 0 || area.h <= 0
      ? undefined
      : { ...area, x: area.x + popup.x - from.x, y: area.y + popup.y - from.y }
}

/** The open popup that the entries of a menu fit into. */
function popupOf(menu: MirrorNode): Rect | undefined {
  const areas = menu.children.flatMap((c) => (c.area !== undefined && c.area.w > 0 ? [c.area] : []))
  const width = Math.max(...areas.map((a) => a.w))
  const height = Math.max(...areas.map((a) => a.y + a.h)) - Math.min(...areas.map((a) => a.y))
  const misfit = ({ w, h }: Rect): number => Math.max(Math.abs(w - width), Math.abs(h - height))
  const open = [...menu.app.nodes.values()].flatMap((n) =>
    n.role === ROLE.POPUP_MENU && n.isShowing && n.children.length === 0 && n.bounds !== undefined ? [n.bounds] : [],
  )
  return open.filter((b) => misfit(b) < FRAME).sort((a, b) => misfit(a) - misfit(b))[0]
}

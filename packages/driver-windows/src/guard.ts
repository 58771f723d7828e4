import { belongsTo, type Guard } from '@deskhand/core/driver'
import type { WindowsDesktop } from './desktop.ts'
import { isInside, topOf } from './node.ts'

/** The part of a guard that does not hold now; Windows and the applications are asked, not the last read. */
export async function checkGuard(desk: WindowsDesktop, { window, focus, hit }: Guard): Promise<keyof Guard | undefined> {
  if (window === undefined && focus === undefined && hit === undefined) return undefined
  await desk.look()
  if (window !== undefined && !isActive(desk, window)) return 'window'
  if (focus !== undefined && !hasFocus(desk, focus)) return 'focus'
  if (hit === undefined) return undefined
  const { node } = desk.at(hit.at)
  const wanted = hit.key === undefined ? undefined : desk.node(hit.key)
  const isMeant = hit.key === undefined ? node === undefined : wanted !== undefined && belongsTo(node, wanted, hit.by, (n) => n.face.role)
  return isMeant ? undefined : 'hit'
}

/** A menu that is open has no keyboard but that of its application's active window. */
function isActive(desk: WindowsDesktop, key: string): boolean {
  const node = desk.node(key)
  const active = desk.activeWindow()
  if (node === undefined || active === undefined) return false
  const top = topOf(node)
  return top === active || (top.face.role === 'menu' && top.app === active.app)
}

function hasFocus(desk: WindowsDesktop, key: string): boolean {
  const node = desk.node(key)
  const { focus } = desk
  if (node === undefined) return false
  if (focus !== undefined && isInside(focus, node)) return true
  // The focus of a list is on the list; its entries have none of their own.
  return focus !== undefined && node.entry !== undefined && node.parent === focus
}

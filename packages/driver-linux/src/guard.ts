import type { Guard } from '@deskhand/core/driver'
import { isPartOf, isValueControl } from '@deskhand/core/model'
import { ACCESSIBLE } from './atspi/names.ts'
import { type MirrorNode, topOf } from './atspi/node.ts'
import { roleOf } from './atspi/roles.ts'
import { hasState } from './atspi/states.ts'
import type { LinuxDesktop } from './desktop.ts'

/** The part of a guard that does not hold now. It is asked of the window manager and of the application, not of the mirror. */
export async function brokenGuard(desk: LinuxDesktop, guard: Guard): Promise<keyof Guard | undefined> {
  const { window, focus, hit } = guard
  if (window !== undefined && !(await isActive(desk, window))) return 'window'
  if (focus !== undefined && !(await hasFocus(desk, focus))) return 'focus'
  if (hit !== undefined) {
    const { node } = await desk.hit(hit.at)
    const isMeant = hit.key === undefined ? node === undefined : node !== undefined && belongs(desk, node, hit.key, hit.by)
    if (!isMeant) return 'hit'
  }
  return undefined
}

/** A page may hold a dialog of its own: what counts is the window it is in. A popup has no keyboard but that of its application's active window. */
async function isActive(desk: LinuxDesktop, key: string): Promise<boolean> {
  const active = await desk.activeKey()
  return active !== undefined && (active === key || active === topOf(desk.nodeAround(key))?.key || desk.isPopupOf(key, active))
}

async function hasFocus(desk: LinuxDesktop, key: string): Promise<boolean> {
  const node = desk.nodeAround(key)
  const active = await desk.activeKey()
  if (node === undefined)
    return desk.bareWindow(key) !== undefined && active !== undefined && (active === key || desk.isPopupOf(key, active))
  if (active !== undefined && active !== topOf(node)?.key && desk.mirror.node(active)?.app !== node.app) return false
  if (await isFocused(node)) return true
  const { focus } = desk.mirror
  return focus !== undefined && focus !== node && isInside(desk, focus.key, key) && (await isFocused(focus))
}

export async function isFocused(node: MirrorNode): Promise<boolean> {
  try {
    const [words] = await node.app.call(node.path, ACCESSIBLE, 'GetState', '', [], 'au')
    return hasState({ low: words[0] ?? 0, high: words[1] ?? 0 }, 'focused')
  } catch {
    return false
  }
}

function isInside(desk: LinuxDesktop, key: string, ancestor: string): boolean {
  if (key === ancestor) return true
  for (let n = desk.mirror.node(key)?.parent; n !== undefined; n = n.parent) if (n.key === ancestor) return true
  return false
}

/** Whether a node is the wanted one or a part of it; a control of its own inside it is not. */
function belongs(desk: LinuxDesktop, key: string, wanted: string, by: NonNullable<Guard['hit']>['by']): boolean {
  if (key === wanted) return true
  const target = desk.nodeAround(wanted)
  if (target === undefined) return false
  const outer = roleOf(target.role)
  for (let n = desk.nodeAround(key); n !== undefined; n = n.parent) {
    if (n === target) return true
    const role = roleOf(n.role)
    if (by !== 'move' && !isPartOf(role, outer) && (by !== 'wheel' || isValueControl(role))) return false
  }
  return false
}

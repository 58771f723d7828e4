import { belongsTo, type Guard } from '@deskhand/core/driver'
import { isValueControl, type Point } from '@deskhand/core/model'
import { ACCESSIBLE } from './atspi/names.ts'
import { type MirrorNode, isIdleClaim, tabsOf, topOf } from './atspi/node.ts'
import { roleOf } from './atspi/roles.ts'
import { hasState } from './atspi/states.ts'
import { refreshNode } from './check.ts'
import type { LinuxDesktop } from './desktop.ts'

const MOST_ASKED = 100

/** The part of a guard that does not hold now; where all of it does, the X windows through which `hit` was found. */
export interface Checked {
  broken?: keyof Guard
  chain?: readonly number[]
}

/** It is asked of the window manager and of the application, not of the mirror. */
export async function checkGuard(desk: LinuxDesktop, guard: Guard): Promise<Checked> {
  const { window, focus, hit } = guard
  if (window !== undefined && !(await isActive(desk, window))) return { broken: 'window' }
  if (focus !== undefined && !(await hasFocus(desk, focus))) return { broken: 'focus' }
  if (hit === undefined) return {}
  const { node, chain } = await desk.hit(hit.at)
  const isMeant = hit.key === undefined ? node === undefined : node !== undefined && belongs(desk, node, hit.key, hit.by)
  return isMeant ? { chain } : { broken: 'hit' }
}

/** Whether keys would go to who grabbed the keyboard and not to the focus. An application does so itself while it shows a menu; one of another is not its own. */
export async function isKeyboardTaken(desk: LinuxDesktop, { window, focus }: Guard): Promise<boolean> {
  const { windows } = desk
  const key = focus ?? window
  if (key === undefined || (await windows?.isKeyboardGrabbed?.()) !== true) return false
  const owner = desk.ownerOf(key)
  const popups = (await windows?.popups()) ?? []
  return popups.every((popup) => popup.isTip || popup.pid !== owner)
}

/** Sends what a guard with `hit` was checked for: as one with a look at the windows there, as they can change between the two. */
export async function sendTo(
  { windows }: LinuxDesktop,
  chain: readonly number[] | undefined,
  at: Point | undefined,
  send: () => void,
): Promise<boolean> {
  if (windows !== undefined && chain !== undefined && at !== undefined) return windows.sendTo(at, chain, send)
  send()
  return true
}

/** The controls in the window around a node whose value a wheel changes; of a page, only one with the focus does. */
export function wheelControls(desk: LinuxDesktop, key: string | undefined): MirrorNode[] {
  const found: MirrorNode[] = []
  const look = (n: MirrorNode): void => {
    if (isValueControl(roleOf(n.role)) && (n.app.toolkit.passesKeysOn !== true || hasState(n, 'focused'))) found.push(n)
    for (const child of n.children) look(child)
  }
  const top = key === undefined ? undefined : topOf(desk.nodeAround(key))
  if (top !== undefined) look(top)
  return found
}

/** Whether a turn of the wheel at this point changes no value but that of the judged node. The controls are asked where they are now. */
export async function isFreeOfValues(desk: LinuxDesktop, at: Point, judged: string | undefined): Promise<boolean> {
  const controls = wheelControls(desk, judged)
  const near = controls.filter(({ bounds }) => bounds === undefined || (bounds.x <= at.x && at.x < bounds.x + bounds.w))
  await Promise.all(near.slice(0, MOST_ASKED).map(refreshNode))
  const { node } = await desk.hit(at)
  for (let n = node === undefined ? undefined : desk.nodeAround(node); n !== undefined; n = n.parent) {
    if (n.key === judged) return true
    if (isValueControl(roleOf(n.role))) return false
  }
  return true
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
  const { focus } = desk.mirror
  if (await isFocused(node)) return true
  return focus !== undefined && focus !== node && isInside(desk, focus.key, key) && (await isFocused(focus))
}

export async function isFocused(node: MirrorNode): Promise<boolean> {
  const tabs = tabsOf(node)
  if (tabs === undefined ? isIdleClaim(node) : !(await isFocused(tabs))) return false
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

/** Areas without nodes of their own have keys, too. */
function belongs(desk: LinuxDesktop, key: string, wanted: string, by: NonNullable<Guard['hit']>['by']): boolean {
  const target = desk.nodeAround(wanted)
  return key === wanted || (target !== undefined && belongsTo(desk.nodeAround(key), target, by, (n) => roleOf(n.role)))
}

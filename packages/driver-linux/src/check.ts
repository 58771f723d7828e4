import { DeskhandError } from '@deskhand/core/errors'
import type { FlatNode } from '@deskhand/core/model'
import { appError } from './atspi/app.ts'
import { loadDetails } from './atspi/details.ts'
import { inOrder } from './atspi/list-rows.ts'
import { ACCESSIBLE } from './atspi/names.ts'
import { type MirrorNode, flatten } from './atspi/node.ts'
import { hasState } from './atspi/states.ts'
import { renewCell } from './atspi/table.ts'
import { BusError } from './dbus/index.ts'
import type { LinuxDesktop } from './desktop.ts'

const EVERYTHING = { bounds: true, actions: true, value: true }

/** A node as its application has it now; null when it is gone. */
export async function checkNode(desk: LinuxDesktop, key: string): Promise<FlatNode | null> {
  if (desk.bareWindow(key) !== undefined) await desk.settle()
  const bare = desk.bareWindow(key)
  if (bare !== undefined) return bare.told
  if (desk.unreadArea(key) !== undefined) await desk.settleDrawn()
  const area = desk.unreadArea(key)
  if (area !== undefined) return area.told
  const node = desk.mirror.node(key)
  if (node === undefined) return null
  if (node.isWindow ? !(await refreshWindow(desk, node)) : !(await refreshNode(node))) return null
  desk.mirror.touch(node)
  return flatten(node, node.parent === undefined ? 0 : inOrder(node.parent).indexOf(node))
}

/** A window is there while the window manager has it, whether or not its application answers. */
async function refreshWindow(desk: LinuxDesktop, window: MirrorNode): Promise<boolean> {
  const isThere = await refreshNode(window).catch((error: unknown) => {
    if (!(error instanceof DeskhandError) || error.code !== 'APP_HUNG') throw error
    return undefined
  })
  await desk.settle()
  return isThere ?? desk.windowOf(window.key) !== undefined
}

/** Asks the application for everything about a node; false when it is gone. */
export async function refreshNode(node: MirrorNode): Promise<boolean> {
  return (await refresh(node)) || ((await renewCell(node)) && refresh(node))
}

/** What decides which questions a node is asked. */
const kindOf = (node: MirrorNode): string => `${node.role} ${node.isShowing} ${hasState(node, 'editable')} ${node.name === ''}`

async function refresh(node: MirrorNode): Promise<boolean> {
  const { app, path } = node
  try {
    const [name, role, state] = await Promise.all([
      app.get(path, ACCESSIBLE, 'Name', 's'),
      app.call(path, ACCESSIBLE, 'GetRole', '', [], 'u'),
      app.call(path, ACCESSIBLE, 'GetState', '', [], 'au'),
      loadDetails(app, [node], EVERYTHING),
    ])
    const before = kindOf(node)
    node.name = name
    node.role = role[0]
    node.low = state[0][0] ?? 0
    node.high = state[0][1] ?? 0
    if (hasState(node, 'defunct')) return false
    if (kindOf(node) !== before) await loadDetails(app, [node], EVERYTHING)
    return true
  } catch (error) {
    if (error instanceof BusError && error.reply !== 'timeout') return false
    throw appError(error, app)
  }
}

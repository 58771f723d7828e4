import type { Rect, Role } from '@deskhand/core/model'
import type { WinNode } from '../node.ts'

/** An entry of a list, or of what is operated like one, by its place in it. */
export function entry(parent: WinNode, role: Role, at: number, name: string, bounds: Rect | undefined, selected: boolean): WinNode {
  return {
    key: `${parent.key}/${at}`,
    app: parent.app,
    hwnd: parent.hwnd,
    entry: at,
    face: {
      role,
      name,
      ...(bounds !== undefined && { bounds }),
      states: { enabled: parent.face.states.enabled, visible: bounds !== undefined, selected },
      actions: ['select', 'press', 'reveal'],
    },
    children: [],
  }
}

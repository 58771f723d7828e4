import { intersect, type Rect } from '@deskhand/core/model'
import type { WinNode } from '../node.ts'
import { ask } from '../win32/message.ts'
import type { RemoteMemory } from '../win32/remote.ts'
import { rectOf, toScreen } from '../win32/window.ts'
import { answered, type Reading } from './reading.ts'

const TVM = { GETITEMRECT: 0x1104, GETNEXTITEM: 0x110a, GETITEM: 0x113e }
const [ROOT, NEXT, CHILD] = [0, 1, 4]
const [TEXT, STATE, HANDLE, CHILDREN] = [1, 8, 0x10, 0x40]
const [SELECTED, EXPANDED] = [2, 0x20]
const MOST = 5000

/** The entries of a tree view, as far as it has been filled. */
export function treeView(tree: WinNode, memory: RemoteMemory, reading: Reading): WinNode[] {
  const outer = rectOf(tree.hwnd)
  let count = 0
  const below = (parent: WinNode, first: number, isOpen: boolean): WinNode[] => {
    const found: WinNode[] = []
    for (let item = first; item !== 0; item = answered(ask(tree.hwnd, TVM.GETNEXTITEM, NEXT, item))) {
      if (++count > MOST) {
        reading.gaps.add(`only ${MOST} entries of a tree are read`)
        break
      }
      const node = itemNode(tree, item, memory, isOpen ? outer : undefined)
      node.parent = parent
      found.push(node)
      const child = answered(ask(tree.hwnd, TVM.GETNEXTITEM, CHILD, item))
      node.children = below(node, child, isOpen && node.face.states.expanded === true)
    }
    return found
  }
  return below(tree, answered(ask(tree.hwnd, TVM.GETNEXTITEM, ROOT)), true)
}

function itemNode(tree: WinNode, item: number, memory: RemoteMemory, outer: Rect | undefined): WinNode {
  const { is32 } = memory
  const structure = Buffer.alloc(80)
  structure.writeUInt32LE(TEXT | STATE | HANDLE | CHILDREN, 0)
  if (is32) structure.writeUInt32LE(item, 4)
  else structure.writeBigUInt64LE(BigInt(item), 8)
  structure.writeUInt32LE(0xffff, is32 ? 12 : 20)
  const { text, structure: told } = answered(memory.askText(tree.hwnd, TVM.GETITEM, 0, structure, { pointerAt: is32 ? 16 : 24 }))
  const state = told.readUInt32LE(is32 ? 8 : 16)
  const hasChildren = told.readInt32LE(is32 ? 32 : 44) !== 0
  const bounds = outer === undefined ? undefined : placeOf(tree, item, memory, outer)
  return {
    key: `${tree.key}/${item.toString(16)}`,
    app: tree.app,
    hwnd: tree.hwnd,
    entry: item,
    face: {
      role: 'treeitem',
      name: text,
      ...(bounds !== undefined && { bounds }),
      states: {
        enabled: tree.face.states.enabled,
        visible: bounds !== undefined,
        selected: (state & SELECTED) !== 0,
        ...(hasChildren && { expanded: (state & EXPANDED) !== 0 }),
      },
      actions: ['select', 'press', 'reveal', ...(hasChildren ? ['expand', 'collapse'] : [])],
    },
    children: [],
  }
}

function placeOf(tree: WinNode, item: number, memory: RemoteMemory, outer: Rect): Rect | undefined {
  const rect = Buffer.alloc(16)
  rect.writeBigUInt64LE(BigInt(item), 0)
  const TEXT_ONLY = 1
  const told = answered(memory.ask(tree.hwnd, TVM.GETITEMRECT, TEXT_ONLY, rect))
  return told.answer === 0 ? undefined : intersect(toScreen(tree.hwnd, told.structure), outer)
}

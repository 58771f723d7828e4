import { type Rect, contains, union } from '@deskhand/core/model'
import { z } from 'zod'
import type { TopWindow } from '../display-server.ts'

const Box = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() })

const Container = z.object({
  id: z.number(),
  type: z.string(),
  name: z.string().nullish(),
  pid: z.number().optional(),
  focused: z.boolean().default(false),
  visible: z.boolean().optional(),
  fullscreen_mode: z.number().default(0),
  rect: Box,
  window_rect: Box.optional(),
  deco_rect: Box.optional(),
  get nodes() {
    return z.array(Container).default([])
  },
  get floating_nodes() {
    return z.array(Container).default([])
  },
})
type Container = z.infer<typeof Container>

/** A window, and the place that a maximised one would fill. */
export interface SwayWindow extends TopWindow {
  room: Rect
}

/** How far a window that fills its room may be away from its edges. */
const SLACK = 4
const SCRATCHPAD = '__i3_scratch'

/** The windows in what sway tells of its tree, the topmost last. */
export function windowsIn(tree: unknown): SwayWindow[] {
  const found: (Omit<SwayWindow, 'z'> & { isFull: boolean })[] = []
  const visit = (node: Container, room: Rect, isAway: boolean): void => {
    const isWorkspace = node.type === 'workspace'
    const inside = isWorkspace ? rectOf(node.rect) : room
    const away = isAway || node.name === SCRATCHPAD
    if (node.pid !== undefined && node.nodes.length === 0 && !isWorkspace) found.push(describe(node, inside, away))
    for (const child of [...node.nodes, ...node.floating_nodes]) visit(child, inside, away)
  }
  const root = Container.parse(tree)
  visit(root, rectOf(root.rect), false)
  // A window that fills the screen lies above all others of its screen.
  return [...found.filter((w) => !w.isFull), ...found.filter((w) => w.isFull)].map((w, z) => ({ ...w, z }))
}

/** The topmost window at a point. */
export const windowAt = (windows: readonly SwayWindow[], at: { x: number; y: number }): SwayWindow | undefined =>
  windows.findLast((w) => !w.isMinimized && contains(w.outer, at))

function describe(node: Container, room: Rect, isAway: boolean): Omit<SwayWindow, 'z'> & { isFull: boolean } {
  const { id, pid, rect, window_rect: inner, deco_rect: title, focused } = node
  const isFull = node.fullscreen_mode > 0
  const bounds = inner === undefined || inner.width === 0 ? rectOf(rect) : { ...rectOf(inner), x: rect.x + inner.x, y: rect.y + inner.y }
  const frame = rectOf(rect)
  const outer = title === undefined || title.width === 0 || isFull ? frame : union(frame, rectOf(title))
  const fills = Math.abs(outer.w - room.w) <= SLACK && Math.abs(outer.h - room.h) <= SLACK
  return {
    id,
    pid,
    title: node.name ?? '',
    bounds,
    outer,
    room,
    isFull,
    isMinimized: isAway || node.visible === false,
    isMaximized: isFull || fills,
    isDialog: false,
    isModal: false,
    frame: id,
    isActive: focused,
  }
}

const rectOf = ({ x, y, width, height }: z.infer<typeof Box>): Rect => ({ x, y, w: width, h: height })

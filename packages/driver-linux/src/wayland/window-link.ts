import { type Rect, Rect as AnyRect } from '@deskhand/core/model'
import { z } from 'zod'

/** What code of ours inside of a compositor tells: where everything is. */
export const State = z.object({
  pointer: z.object({ x: z.number(), y: z.number() }),
  windows: z.array(
    z.object({
      id: z.string(),
      pid: z.number().optional(),
      title: z.string(),
      frame: AnyRect,
      buffer: AnyRect,
      room: AnyRect,
      layer: z.number(),
      isActive: z.boolean(),
      isAway: z.boolean(),
      isFull: z.boolean(),
      isPopup: z.boolean(),
      isTip: z.boolean(),
      isDialog: z.boolean(),
      isModal: z.boolean(),
    }),
  ),
})
export type State = z.infer<typeof State>
export type LinkedWindow = State['windows'][number]

/** What it may be asked to do with a window; without one it only tells how things are. */
export type Order =
  | { op?: undefined }
  | { op: 'activate' | 'minimize' | 'maximize' | 'restore' | 'close'; id: string }
  | { op: 'place'; id: string; rect: Rect }

/** Code of ours inside of a compositor, which tells no client where windows are. */
export interface WindowLink {
  onChanged: () => void
  ask(order: Order): Promise<State>
  close(): void
}

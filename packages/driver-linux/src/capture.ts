import { blacken, type CaptureHandle, type PendingCaptures } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import { intersect, type Rect } from '@deskhand/core/model'
import type { LinuxDesktop } from './desktop.ts'
import type { WindowOwners } from './window-owners.ts'
import type { DisplayServer, Grab } from './display-server.ts'

/** What a picture is taken with. */
export interface Camera {
  server: Pick<DisplayServer, 'sync'>
  grab: Grab
  owners: WindowOwners
}

/** Of a window only what is its application's: where another one's lies over it, the picture is black. */
export async function capture(
  desk: LinuxDesktop,
  { server, grab, owners }: Camera,
  captures: PendingCaptures,
  area: { rect?: Rect; window?: string },
): Promise<CaptureHandle> {
  if (area.window === undefined) {
    const before = await owners.now()
    const pixels = await grab(area.rect, (size) => captures.buffer(size))
    // Windows that came while the picture was taken are told by now.
    await server.sync()
    const after = await owners.now()
    return captures.keep(pixels, before === after ? before : [...before, ...after])
  }
  await desk.settle()
  const window = desk.windowOf(area.window)
  if (window === undefined) throw new DeskhandError('STALE_REF', 'there is no such window any more')
  const before = await owners.now()
  const pixels = await grab(window.bounds, (size) => captures.buffer(size))
  const above = desk.top.filter((o) => o.z > window.z && !o.isMinimized && intersect(o.outer, window.bounds) !== undefined)
  const rects = (isOwn: boolean): Rect[] => above.filter((other) => (other.pid === window.pid) === isOwn).map((other) => other.outer)
  const [covered, over] = [rects(false), rects(true)]
  for (const rect of covered) blacken(pixels, rect)
  return { ...captures.keep(pixels, before), ...(covered.length > 0 && { covered }), ...(over.length > 0 && { over }) }
}

import { blacken, type CaptureHandle, type PendingCaptures, type WindowOwner } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import { intersect, type Rect } from '@deskhand/core/model'
import type { WindowsDesktop } from './desktop.ts'
import { topOf } from './node.ts'
import { desktopArea, grab } from './win32/screen.ts'

/** Of a window only what is its own: where one of another application lies over it, the picture is black. */
export function capture(desk: WindowsDesktop, captures: PendingCaptures, area: { rect?: Rect; window?: string }): CaptureHandle {
  desk.refresh()
  const before = owners(desk)
  const buffer = (size: number): Uint32Array<ArrayBuffer> => captures.buffer(size)
  if (area.window === undefined) {
    const pixels = grab(area.rect ?? desktopArea(), buffer)
    // Windows that came while the picture was taken.
    desk.refresh()
    return captures.keep(pixels, [...before, ...owners(desk)])
  }
  const node = desk.node(area.window)
  const window = node === undefined ? undefined : topOf(node)
  if (window === undefined) throw new DeskhandError('STALE_REF', 'there is no such window any more')
  if (window.face.bounds === undefined) throw new DeskhandError('NOT_ACTIONABLE', 'the window is minimized', { next: 'Restore it first.' })
  const { bounds } = window.face
  const pixels = grab(bounds, buffer)
  desk.refresh()
  const at = desk.roots.findIndex((root) => root.key === window.key)
  const above = desk.roots.slice(0, Math.max(0, at))
  const rects = (isOwn: boolean): Rect[] =>
    above.flatMap(({ app, face }) =>
      (app === window.app) === isOwn && face.bounds !== undefined && intersect(face.bounds, bounds) !== undefined ? [face.bounds] : [],
    )
  const [covered, over] = [rects(false), rects(true)]
  for (const rect of covered) blacken(pixels, rect)
  return {
    ...captures.keep(pixels, [...before, ...owners(desk)]),
    ...(covered.length > 0 && { covered }),
    ...(over.length > 0 && { over }),
  }
}

function owners(desk: WindowsDesktop): WindowOwner[] {
  const apps = new Map(desk.apps.map((app) => [app.id, app]))
  return desk.roots.flatMap(({ app: id, face }) => {
    const app = apps.get(id)
    return app === undefined || face.bounds === undefined ? [] : [{ app, rect: face.bounds }]
  })
}

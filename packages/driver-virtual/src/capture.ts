import type { Pixels } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import { intersect, type Rect } from '@deskhand/core/model'
import type { Desktop } from './desktop.ts'
import { renderArea } from './render/render.ts'

/** An area of the screen, a window, or the whole screen. */
export function capture(desk: Desktop, area: { rect?: Rect; window?: string }): Pixels {
  const rect = area.window === undefined ? (area.rect ?? desk.screenRect) : desk.need(area.window).rect
  if (!Object.values(rect).every(Number.isFinite))
    throw new DeskhandError('BAD_ARGS', 'The area to capture is not a rectangle of finite numbers.')
  if (area.window === undefined && intersect(rect, desk.screenRect) === undefined)
    throw new DeskhandError('BAD_ARGS', 'the area to capture lies outside the screen')
  return renderArea(desk, rect)
}

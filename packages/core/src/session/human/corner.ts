import { contains, type Point, type Screen } from '../../model/index.ts'

/** Whether a point is the outermost pixel of a corner where the desktop ends: a corner towards another screen is passed through every day. */
export function inCorner(screens: readonly Screen[], at: Point): boolean {
  return screens.some(({ bounds: { x, y, w, h } }) =>
    [-1, 1].some((dx) =>
      [-1, 1].some((dy) => {
        const corner = { x: dx < 0 ? x : x + w - 1, y: dy < 0 ? y : y + h - 1 }
        if (at.x !== corner.x || at.y !== corner.y) return false
        const beyond = [
          { x: at.x + dx, y: at.y },
          { x: at.x, y: at.y + dy },
        ]
        return !beyond.some((p) => screens.some((s) => contains(s.bounds, p)))
      }),
    ),
  )
}

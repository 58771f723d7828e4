import { intersect, union, type Rect } from '@deskhand/core/model'
import type { Damage } from 'x11'
import type { Display } from './display.ts'

/** Tells which part of the screen was drawn anew: as one box around all of it, or as `parts`, which are more events. */
export async function watchDamage(display: Display, onDamage: (area: Rect) => void, parts = false): Promise<boolean> {
  try {
    const damage = await display.ask<Damage>((reply) => display.client.require('damage', reply))
    const id = display.client.AllocID()
    damage.Create(id, display.root, parts ? damage.ReportLevel.DeltaRectangles : damage.ReportLevel.BoundingBox)
    let areas: Rect[] = []
    display.onEvent((event) => {
      if (event.name !== 'DamageNotify' || !isArea(event.area)) return
      const { x, y, w, h } = event.area
      const area = { x, y, w, h }
      // What comes in one go is told in one go, before a caller that asked the server for something goes on.
      if (areas.length === 0)
        process.nextTick(() => {
          damage.Subtract(id, 0, 0)
          const told = areas
          areas = []
          for (const one of told) onDamage(one)
        })
      if (areas.length < MOST_AREAS && !areas.some((known) => intersect(known, area) !== undefined)) areas.push(area)
      else areas = joined(areas, area)
    })
    await display.sync()
    return true
  } catch {
    return false
  }
}

/** Drawn areas of one go that are told apart. */
const MOST_AREAS = 8

/** With those that it touches as one; as one altogether where there are too many. */
function joined(areas: readonly Rect[], area: Rect): Rect[] {
  let whole = area
  const apart = areas.filter((known) => {
    if (intersect(known, area) === undefined) return true
    whole = union(whole, known)
    return false
  })
  return apart.length < MOST_AREAS ? [...apart, whole] : [apart.reduce(union, whole)]
}

function isArea(value: unknown): value is Rect {
  return typeof value === 'object' && value !== null && 'x' in value && 'y' in value && 'w' in value && 'h' in value
}

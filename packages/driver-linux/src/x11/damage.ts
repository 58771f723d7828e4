import type { Rect } from '@deskhand/core/model'
import type { Damage } from 'x11'
import type { Display } from './display.ts'

/** Tells which part of the screen was drawn anew: as one box around all of it, or as `parts`, which are more events. */
export async function watchDamage(display: Display, onDamage: (area: Rect) => void, parts = false): Promise<boolean> {
  try {
    const damage = await display.ask<Damage>((reply) => display.client.require('damage', reply))
    const id = display.client.AllocID()
    damage.Create(id, display.root, parts ? damage.ReportLevel.DeltaRectangles : damage.ReportLevel.BoundingBox)
    display.onEvent((event) => {
      if (event.name !== 'DamageNotify' || !isArea(event.area)) return
      damage.Subtract(id, 0, 0)
      onDamage({ x: event.area.x, y: event.area.y, w: event.area.w, h: event.area.h })
    })
    await display.sync()
    return true
  } catch {
    return false
  }
}

function isArea(value: unknown): value is Rect {
  return typeof value === 'object' && value !== null && 'x' in value && 'y' in value && 'w' in value && 'h' in value
}

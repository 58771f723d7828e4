import type { PointerEvent } from '../../model/index.ts'

export type Touch = 'press' | 'release' | undefined

/**
 * Which of a run of raw events touch what lies under the pointer: presses, turns of the wheel, and letting go elsewhere than was pressed, as a
 * menu acts on that.
 */
export function pressTargets(events: readonly PointerEvent[]): Touch[] {
  let at = ''
  const pressedAt = new Map<string, string>()
  return events.map((event) => {
    switch (event.type) {
      case 'move':
        at = `${event.x},${event.y}`
        return undefined
      case 'down':
        pressedAt.set(event.button, at)
        return 'press'
      case 'wheel':
        return 'press'
      case 'up':
        return pressedAt.get(event.button) === at ? undefined : 'release'
      case 'pause':
        return undefined
      default:
        return event satisfies never
    }
  })
}

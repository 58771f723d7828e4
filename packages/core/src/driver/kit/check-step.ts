import { DeskhandError } from '../../errors.ts'
import { toKey } from '../../model/index.ts'
import type { Step } from '../driver.ts'

/** Refuses a step that no desktop could carry out, before any part of it is sent. */
export function checkStep(step: Step): void {
  switch (step.do) {
    case 'pointer':
      for (const e of step.events) {
        if (e.type === 'move') finite(e.x, e.y)
        else if (e.type === 'wheel') finite(e.dx, e.dy)
        else if (e.type === 'pause') finite(e.ms)
      }
      return
    case 'keys':
      for (const e of step.events) {
        if (e.type === 'pause') finite(e.ms)
        else if (toKey(e.key) !== e.key) throw new DeskhandError('BAD_ARGS', `"${e.key}" is no key.`)
      }
      return
    case 'setValue':
      return finite(step.value)
    case 'window':
      return finite(...Object.values(step.rect ?? {}).filter((n) => n !== undefined))
    default:
  }
}

function finite(...numbers: number[]): void {
  if (!numbers.every(Number.isFinite)) throw new DeskhandError('BAD_ARGS', 'A number in this step is not finite.')
}

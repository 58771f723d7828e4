import { checkStep, type Step } from '@deskhand/core/driver'
import type { Actor } from './act.ts'
import type { Desktop } from './desktop.ts'

/** A simulated person at the controls, who shares pointer and keyboard with the agents. */
export function humanInput(desk: Desktop, act: Actor, step: Extract<Step, { do: 'pointer' | 'keys' | 'text' }>): void {
  checkStep(step)
  count(desk, step)
  if (step.do === 'text') for (const char of step.text) act.keyboard.type(char)
  else if (step.do === 'keys') {
    for (const e of step.events) {
      if (e.type === 'down') act.keyboard.press(e.key)
      else if (e.type === 'up') act.keyboard.release(e.key)
      desk.flush()
    }
  } else {
    for (const e of step.events) {
      if (e.type === 'move') act.pointer.move(e)
      else if (e.type === 'down') act.pointer.press(e.button)
      else if (e.type === 'up') act.pointer.release(e.button)
      else if (e.type === 'wheel') act.pointer.wheel(e.dx, e.dy)
      desk.flush()
    }
  }
  desk.flush()
  desk.activity.tell(step.do === 'pointer' ? { ...desk.pointer } : undefined)
}

function count({ activity }: Desktop, step: Extract<Step, { do: 'pointer' | 'keys' | 'text' }>): void {
  if (step.do === 'text') activity.count('keys', 2 * [...step.text].length)
  else if (step.do === 'keys') activity.count('keys', step.events.filter((e) => e.type !== 'pause').length)
  else for (const { type } of step.events) if (type !== 'pause') activity.count(type === 'move' ? 'moves' : 'buttons')
}

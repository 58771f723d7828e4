import { DeskhandError } from '@deskhand/core/errors'
import { user32 } from './win32/api.ts'

const READ_OBJECTS = 1

/** Refuses at once while the lock screen or a question of UAC has the screen: no program may see or operate what is shown then. */
export function mustBeOurs(): void {
  const desktop = user32.OpenInputDesktop(0, 0, READ_OBJECTS)
  if (desktop === 0)
    throw new DeskhandError('NO_DESKTOP', 'the screen shows a secure desktop: the lock screen, or a question of User Account Control', {
      next: 'A person has to unlock the session or answer the question.',
    })
  user32.CloseDesktop(desktop)
}

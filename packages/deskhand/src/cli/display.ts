import { DeskhandError } from '@deskhand/core/errors'
import { DisplayName } from '../desktop/record.ts'

/** The display server that an option names. */
export function displayOf(text: string | undefined): DisplayName | undefined {
  const read = DisplayName.optional().safeParse(text)
  if (read.success) return read.data
  throw new DeskhandError('BAD_ARGS', `${text} is no display server`, { next: 'Name x11 or wayland.' })
}

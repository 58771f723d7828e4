import type { Cap } from '@deskhand/core/driver'

/** The portal takes keys, not characters: which key gives which character is known of the US layout. Undefined where the person has that. */
export function keyboardGap(source: string): Cap | undefined {
  if (source === 'us') return undefined
  return {
    ok: false,
    reason: `the person's keyboard is set to ${source}, and keys are known of us alone`,
    fix: 'Switch to English (US) in the top bar and consent again, or let agents set texts with ui.set and paste.',
  }
}

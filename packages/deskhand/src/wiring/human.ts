import type { HumanSettings } from '@deskhand/core/session'
import type { Config } from '../config.ts'

/** What a person at the controls means on this desktop: in a sandbox agents make way, elsewhere only where the operator asks for it. */
export function humanOf({ desktop: { kind }, human: { mode, idleSeconds, waitSeconds, corner, clipboard } }: Config): HumanSettings {
  return {
    mode: mode ?? (kind === 'sandbox' ? 'enforce' : 'off'),
    idleMs: idleSeconds * 1000,
    waitMs: waitSeconds * 1000,
    corner: corner ?? kind !== 'virtual',
    clipboard,
  }
}

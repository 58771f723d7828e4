import { CAPS, type Cap, type CapName } from '@deskhand/core/driver'
import type { UiFile } from './model/ui-file.ts'

/** Everything, except to launch applications that the file does not declare. */
export function capabilities(ui: UiFile): Record<CapName, Cap> {
  const yes: Cap = { ok: true }
  const can: Partial<Record<CapName, Cap>> = {}
  for (const name of CAPS) can[name] = yes
  if (!Object.keys(ui.apps ?? {}).length) {
    can['step:launch'] = {
      ok: false,
      reason: 'the user interface file declares no applications',
      fix: 'list them under "apps" in the file',
    }
  }
  return can as Record<CapName, Cap>
}

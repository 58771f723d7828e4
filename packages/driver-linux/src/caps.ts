import { CAPS, type Cap, type CapName } from '@deskhand/core/driver'
import type { DisplayServer } from './display-server.ts'

export type Can = Record<CapName, Cap>

const yes: Cap = { ok: true }

/** Everything, but for what the display server cannot do. */
export const capabilities = ({ gaps }: DisplayServer): Can => Object.fromEntries(CAPS.map((name) => [name, gaps[name] ?? yes])) as Can

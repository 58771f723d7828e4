import { CAPS, type Cap, type CapName, STEPS } from '@deskhand/core/driver'
import type { Env } from './x11/authority.ts'

export type Can = Record<CapName, Cap>

const yes: Cap = { ok: true }

/** A Wayland session lets no client send input to other applications or see them; through Xwayland only some of them would be reached. */
export function isWayland(env: Env): boolean {
  return env.XDG_SESSION_TYPE === 'wayland' || (env.WAYLAND_DISPLAY !== undefined && env.WAYLAND_DISPLAY !== '')
}

export function capabilities(env: Env, humanInput: Cap): Can {
  const can: Partial<Can> = {}
  for (const name of CAPS) can[name] = yes
  can.humanInput = humanInput
  if (isWayland(env)) {
    const no: Cap = {
      ok: false,
      reason: 'this is a Wayland session, which lets no program send input to others or see their pixels',
      fix: 'Use a sandbox desktop (deskhand desktop up), or log in to an X11 session.',
    }
    for (const name of ['hit', 'capture', 'clipboard', 'humanInput'] as const) can[name] = no
    for (const step of ['pointer', 'keys', 'text', 'clipboard', 'window'] as const satisfies readonly (typeof STEPS)[number][])
      can[`step:${step}`] = no
  }
  return can as Can
}

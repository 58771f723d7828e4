import { DeskhandError } from '@deskhand/core/errors'
import type { DisplayServer, Env } from './display-server.ts'
import { ClosedServer } from './wayland/closed.ts'
import { isConsented, isSandbox } from './wayland/negotiate.ts'
import { WaylandServer } from './wayland/server.ts'
import { XServer } from './x11/server.ts'

/** The display server that an environment names; `asks`: whether a desktop's own dialogs may come up. In a Wayland session X would reach only those applications that run in Xwayland. */
export async function openServer(env: Env, asks = true): Promise<DisplayServer> {
  if (!isWayland(env)) return XServer.open(env)
  // On a person's own desktop nothing is sent or seen without their consent.
  if (!isSandbox(env) && !isConsented(env)) return new ClosedServer(NO_CONSENT)
  try {
    return await WaylandServer.open(env, asks)
  } catch (error) {
    return new ClosedServer({ ok: false, reason: DeskhandError.from(error).message, fix: 'Start Deskhand inside the Wayland session.' })
  }
}

/** What this Wayland session lacks for a person who has consented; undefined where there is none. */
export async function waylandGaps(env: Env): Promise<DisplayServer['gaps'] | undefined> {
  if (!isWayland(env)) return undefined
  const server = await openServer({ ...env, DESKHAND_CONSENT: 'given' }, false)
  server.close()
  return server.gaps
}

const NO_CONSENT = {
  ok: false,
  consent: true,
  reason: 'this is the Wayland session of a person, who has not consented to input and pictures',
  fix: 'Ask the operator to run: deskhand consent give --minutes 60',
} as const

export const isWayland = (env: Env): boolean =>
  env.XDG_SESSION_TYPE === 'wayland' || (env.WAYLAND_DISPLAY !== undefined && env.WAYLAND_DISPLAY !== '')

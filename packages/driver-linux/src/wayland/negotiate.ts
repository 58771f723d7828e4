import type { Cap, CapName } from '@deskhand/core/driver'
import type { Env } from '../display-server.ts'
import type { Connection } from './connection.ts'

/** The parts of the Wayland room that can work here. */
export interface Needs {
  input: boolean
  windows: boolean
  capture: boolean
  clipboard: boolean
}

/** What each part needs of the compositor; one of the names in each list is enough. */
const PROTOCOLS = {
  pointer: ['zwlr_virtual_pointer_manager_v1'],
  keyboard: ['zwp_virtual_keyboard_manager_v1'],
  capture: ['zwlr_screencopy_manager_v1'],
  clipboard: ['zwlr_data_control_manager_v1'],
  idle: ['ext_idle_notifier_v1', 'org_kde_kwin_idle'],
} as const

const FIX = 'Use a sandbox desktop (deskhand desktop up), or log in to sway or to an X11 session.'

/** What the compositor offers decides what can be done; each gap names what is missing. */
export function negotiate(connection: Pick<Connection, 'version'>, env: Env): { gaps: Partial<Record<CapName, Cap>>; can: Needs } {
  const lacks = (part: keyof typeof PROTOCOLS): Cap | undefined =>
    PROTOCOLS[part].some((name) => connection.version(name) > 0)
      ? undefined
      : { ok: false, reason: `this Wayland compositor does not offer ${PROTOCOLS[part].join(' or ')}`, fix: FIX }
  const windows: Cap | undefined =
    swaySocket(env) !== undefined
      ? undefined
      : {
          ok: false,
          reason: 'this Wayland compositor does not tell where windows are to us, so no click could be judged',
          fix: FIX,
        }
  const input = lacks('pointer') ?? lacks('keyboard')
  const blind = windows ?? input
  const gaps: Partial<Record<CapName, Cap | undefined>> = {
    hit: windows,
    capture: lacks('capture') ?? windows,
    clipboard: lacks('clipboard'),
    humanInput: input ?? lacks('idle'),
    'step:pointer': blind,
    'step:keys': blind,
    'step:text': blind,
    'step:clipboard': lacks('clipboard'),
    'step:window': windows,
  }
  return {
    gaps: Object.fromEntries(Object.entries(gaps).filter(([, gap]) => gap !== undefined)),
    can: {
      input: input === undefined,
      windows: windows === undefined,
      capture: lacks('capture') === undefined,
      clipboard: lacks('clipboard') === undefined,
    },
  }
}

/** Whether it is a desktop that Deskhand brought up. */
export const isSandbox = (env: Env): boolean => isSet(env.DESKHAND_SWAYSOCK)

/** Whether the person whose session it is lets Deskhand send input and see pixels. */
export const isConsented = (env: Env): boolean => env.DESKHAND_CONSENT === 'given'

/** The socket of sway: the sandbox's, or that of a person who consented. */
export function swaySocket(env: Env): string | undefined {
  if (isSandbox(env)) return env.DESKHAND_SWAYSOCK
  return isConsented(env) && isSet(env.SWAYSOCK) ? env.SWAYSOCK : undefined
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== ''

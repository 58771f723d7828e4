import type { Cap, CapName } from '@deskhand/core/driver'
import type { Env } from '../display-server.ts'
import type { Connection } from './connection.ts'

/** Ways to do each part, the best first: the protocols of one way are needed together. */
const WAYS = {
  input: {
    wlr: ['zwlr_virtual_pointer_manager_v1', 'zwp_virtual_keyboard_manager_v1'],
    kwin: ['org_kde_kwin_fake_input'],
  },
  capture: { wlr: ['zwlr_screencopy_manager_v1'] },
  clipboard: { wlr: ['zwlr_data_control_manager_v1'] },
  idle: { ext: ['ext_idle_notifier_v1'], kde: ['org_kde_kwin_idle'] },
} as const

/** How each part is done here; absent where it is not. */
export interface Found {
  input?: 'wlr' | 'kwin' | 'portal'
  windows?: 'sway' | 'kwin' | 'gnome'
  capture?: 'wlr' | 'kwin' | 'portal'
  clipboard?: 'wlr' | 'gnome'
  idle?: 'ext' | 'kde' | 'gnome'
}

/** What the protocols that a compositor offers are enough for. */
export function waysIn(connection: Pick<Connection, 'version'>): Omit<Found, 'windows'> {
  const first = <W extends string>(ways: Readonly<Partial<Record<W, readonly string[]>>>): W | undefined =>
    (Object.keys(ways) as W[]).find((way) => ways[way]?.every((name) => connection.version(name) > 0))
  return { input: first(WAYS.input), capture: first(WAYS.capture), clipboard: first(WAYS.clipboard), idle: first(WAYS.idle) }
}

/** What a desktop of another kind is asked for. */
const ELSEWHERE = 'Use a sandbox desktop (deskhand desktop up), or log in to sway, KDE or an X11 session.'
const TRUST = 'Have KWin trust this Node, and consent again: deskhand consent kwin'

/** Why a part is closed here, where more is known than that the compositor lacks a protocol. */
export type Why = Partial<Record<'windows' | 'input' | 'capture' | 'keyboard', Cap>>

export const KWIN_TRUSTS_NOT: Why = {
  input: { ok: false, reason: 'KWin offers input (org_kde_kwin_fake_input) only to programs that it is told to trust', fix: TRUST },
  capture: {
    ok: false,
    reason: 'KWin gives pictures (ScreenShot2) only to programs that it is told to trust, and only where it draws with OpenGL',
    fix: TRUST,
  },
}

/** What cannot be done, part by part, each with its reason and what would close it. */
export function gapsOf(found: Found, why: Why): Partial<Record<CapName, Cap>> {
  const lacks = (part: keyof typeof WAYS): Cap | undefined => {
    if (found[part] !== undefined) return undefined
    const names = Object.values(WAYS[part]).map((way) => way.join(' and '))
    return { ok: false, reason: `this Wayland compositor does not offer ${names.join(' or ')}`, fix: ELSEWHERE }
  }
  const unknown: Cap = {
    ok: false,
    reason: 'this Wayland compositor does not tell where windows are to us, so no click could be judged',
    fix: ELSEWHERE,
  }
  const windows = found.windows === undefined ? (why.windows ?? unknown) : undefined
  const input = found.input === undefined ? (why.input ?? windows ?? lacks('input')) : undefined
  const capture = found.capture === undefined ? (why.capture ?? windows ?? lacks('capture')) : undefined
  const clipboard = found.clipboard === undefined ? (why.windows ?? lacks('clipboard')) : undefined
  const { keyboard } = why
  const blind = windows ?? input
  const gaps: Partial<Record<CapName, Cap | undefined>> = {
    hit: windows,
    capture: capture ?? windows,
    clipboard,
    humanInput: input ?? lacks('idle'),
    'step:pointer': blind,
    'step:keys': blind ?? keyboard,
    'step:text': blind ?? keyboard,
    'step:clipboard': clipboard,
    'step:window': windows,
  }
  return Object.fromEntries(Object.entries(gaps).filter(([, gap]) => gap !== undefined))
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

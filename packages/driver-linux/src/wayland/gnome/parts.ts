import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { ActivityLog, Cap } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import type { Rect } from '@deskhand/core/model'
import type { Env, Grab } from '../../display-server.ts'
import { WaylandInput } from '../input.ts'
import type { Outputs } from '../outputs.ts'
import { ShellClipboard } from './clipboard.ts'
import { PortalDevice } from './device.ts'
import { watchPerson } from './human.ts'
import { IdleMonitor } from './idle-monitor.ts'
import { keyboardGap } from './layout.ts'
import { ShellLink } from './link.ts'
import { PortalSession, portalVersions } from './portal.ts'
import { PipeWireScreen, STREAMER } from './screen.ts'

/** What a session of GNOME gives, and why it does not give the rest. */
export interface GnomeParts {
  link: ShellLink
  why: { windows?: Cap; input?: Cap; capture?: Cap; keyboard?: Cap }
  portal?: PortalSession
  input?: WaylandInput
  eyes?: { grab: Grab; watch(drawn: (area: Rect) => void): void }
  clipboard?: ShellClipboard
  watchPerson?(activity: ActivityLog): Promise<void>
  close(): void
}

const INSTALL =
  'sudo apt-get install xdg-desktop-portal-gnome pipewire wireplumber gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-pipewire'
const AGAIN = 'Ask the operator to run: deskhand consent give --minutes 60'
const NO_EXTENSION: Cap = {
  ok: false,
  reason: 'GNOME Shell tells no program where windows are, so no click could be judged',
  fix: 'Have GNOME load the extension of Deskhand, log in again, and consent again: deskhand consent gnome',
}

/** Undefined where GNOME Shell is not there. Where the portal asks the person, this returns with their answer; with `asks` false the portal is left alone. */
export async function openGnome(env: Env, outputs: Outputs, asks: boolean): Promise<GnomeParts | undefined> {
  const link = await ShellLink.open(env)
  if (link === undefined) return undefined
  try {
    if (!link.hasExtension) return { link, why: { windows: NO_EXTENSION }, close: () => link.close() }
    const { remote, cast } = await portalVersions(link.bus)
    const keyboard = keyboardGap(link.state?.keyboard ?? '')
    const input = missing(remote === 0, 'the portal org.freedesktop.portal.RemoteDesktop')
    const capture = missing(cast === 0, 'the portal org.freedesktop.portal.ScreenCast') ?? missing(!isInstalled(env), STREAMER)
    const why = { input: input ?? missing(cast === 0, 'the portal org.freedesktop.portal.ScreenCast'), capture: input ?? capture, keyboard }
    if (!asks || why.input !== undefined) return { link, why, close: () => link.close() }
    return await share(link, outputs, env, { remote }, why)
  } catch (error) {
    link.close()
    throw error
  }
}

async function share(
  link: ShellLink,
  outputs: Outputs,
  env: Env,
  versions: { remote: number },
  why: GnomeParts['why'],
): Promise<GnomeParts> {
  let portal: PortalSession
  try {
    portal = await PortalSession.open(link.bus, versions, env)
  } catch (thrown) {
    const { code, message } = DeskhandError.from(thrown)
    if (code !== 'NOT_CAPABLE' && code !== 'TIMEOUT') throw thrown
    const refused: Cap = { ok: false, consent: true, reason: message, fix: AGAIN }
    return { link, why: { ...why, windows: refused, input: refused, capture: refused }, close: () => link.close() }
  }
  const monitor = new IdleMonitor(link.bus)
  const device = new PortalDevice(portal, link, monitor)
  const input = await WaylandInput.open(device, device, () => outputs.area)
  await device.wake(link.state?.pointer ?? { x: 0, y: 0 })
  const screen = why.capture === undefined && portal.stream !== undefined ? await see(portal, outputs, env) : undefined
  const isSeen = screen instanceof PipeWireScreen
  return {
    link,
    portal,
    input,
    why: isSeen || screen === undefined ? why : { ...why, capture: screen },
    clipboard: new ShellClipboard(link),
    watchPerson: (activity) => watchPerson(monitor, device, input, activity),
    ...(isSeen && {
      eyes: {
        grab: (area, allocate) => screen.grab(area, allocate),
        watch: (drawn) => (link.onDrawn = (areas) => areas.forEach(drawn)),
      },
    }),
    close: () => {
      if (isSeen) screen.close()
      portal.close()
      link.close()
    },
  }
}

/** The pictures, or why there are none. */
async function see({ stream }: PortalSession, outputs: Outputs, env: Env): Promise<PipeWireScreen | Cap | undefined> {
  if (stream === undefined) return undefined
  try {
    return await PipeWireScreen.open(stream, outputs, env)
  } catch (thrown) {
    const { message, next } = DeskhandError.from(thrown)
    return { ok: false, reason: message, fix: next }
  }
}

const missing = (isMissing: boolean, what: string): Cap | undefined =>
  isMissing ? { ok: false, reason: `${what} is not there, by which GNOME lets programs do this`, fix: INSTALL } : undefined

function isInstalled(env: Env): boolean {
  return (env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, STREAMER), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

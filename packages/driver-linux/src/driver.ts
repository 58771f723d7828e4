import { randomUUID } from 'node:crypto'
import { DeskhandError } from '@deskhand/core/errors'
import { AirbagMode, type Driver, type DriverInfo, packageVersion, PROTOCOL } from '@deskhand/core/driver'
import type { Rect } from '@deskhand/core/model'
import { Actor } from './act.ts'
import { accessibilityAddress, enableAccessibility, sessionBus } from './atspi/bus.ts'
import { REST_MS } from './atspi/stale-areas.ts'
import { Mirror } from './atspi/mirror.ts'
import { capabilities } from './caps.ts'
import { BusError } from './dbus/index.ts'
import { LinuxDesktop } from './desktop.ts'
import { observeDesktop } from './observe.ts'
import type { DisplayServer, Env } from './display-server.ts'
import { openServer } from './open-server.ts'

const VERSION = packageVersion(import.meta.url)
/** Drawing comes in bursts; callers that wait for changes are told at the end of one. */
const BURST_MS = 25
/** A blinking caret is this narrow; it tells nothing of the tree. */
const CARET = 3

/** Opens the desktop that an environment names; DESKHAND_URN is what the caller calls it. */
export async function openLinux(env: Env): Promise<Driver> {
  const server = await openServer(env)
  const mirror = await openMirror(env, server.isLocal).catch((error: unknown) => {
    server.close()
    throw error
  })
  const desk = new LinuxDesktop(mirror, server)
  const settleSoon = burst(desk)
  const info = describe(env, server)
  await server.watch({
    drawn: (area) => {
      if (area.w > CARET) settleSoon(area)
    },
    screensChanged: () => {
      desk.rearrange()
      desk.mirror.log.add({ type: 'screens' })
    },
    gapsChanged: () => {
      Object.assign(info.can, capabilities(server))
      desk.mirror.log.add({ type: 'can' })
    },
  })
  await desk.settle()
  // What the server tells of input is known by now.
  Object.assign(info, await airbagOf(env, server), { can: Object.assign(info.can, capabilities(server)) })
  const actor = new Actor(desk, server, env, info.can)
  return {
    observe: observeDesktop(desk, server, info, env),
    act: actor,
    async close() {
      await actor.stop()
      mirror.close()
      server.close()
    },
  }
}

async function openMirror(env: Env, isLocal: boolean): Promise<Mirror> {
  try {
    if (env.AT_SPI_BUS_ADDRESS !== undefined) return await Mirror.open(env.AT_SPI_BUS_ADDRESS, isLocal)
    const session = await sessionBus(env)
    try {
      await enableAccessibility(session)
      return await Mirror.open(await accessibilityAddress(session), isLocal)
    } finally {
      session.close()
    }
  } catch (error) {
    if (error instanceof DeskhandError) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new DeskhandError('NO_DESKTOP', `the accessibility bus of this desktop does not answer: ${why}`, {
      next:
        error instanceof BusError && error.reply === 'abstract'
          ? 'Start the session with a bus on a path (dbus-run-session, or systemd), or bring up a sandbox with: deskhand desktop up'
          : 'Install at-spi2-core and log in again, or bring up a sandbox with: deskhand desktop up',
      cause: error,
    })
  }
}

function burst(desk: LinuxDesktop): (area: Rect) => void {
  let soon: NodeJS.Timeout | undefined
  let later: NodeJS.Timeout | undefined
  return (area) => {
    desk.disturb(area)
    if (!desk.mirror.log.isAwaited) return
    soon ??= setTimeout(() => {
      soon = undefined
      void desk.settleDrawn()
    }, BURST_MS)
    // The last picture of what was taken for an animation may be the one that matters.
    clearTimeout(later)
    later = setTimeout(() => void desk.settleDrawn(), REST_MS + 1)
  }
}

function describe(env: Env, server: DisplayServer): DriverInfo {
  return {
    protocol: PROTOCOL,
    kind: 'linux',
    name: 'linux',
    version: VERSION,
    prefixes: ['atspi'],
    desktop: env.DESKHAND_URN ?? `urn:deskhand:host:${env.DISPLAY ?? env.WAYLAND_DISPLAY ?? 'unknown'}`,
    epoch: randomUUID(),
    can: capabilities(server),
  }
}

/** Starts to watch injected events, as far as the display server lets that be done. */
async function airbagOf(env: Env, { activity, swallowInjected }: DisplayServer): Promise<Pick<DriverInfo, 'airbag'>> {
  const mode = AirbagMode.catch('off').parse(env['DESKHAND_AIRBAG'])
  if (mode === 'off') return {}
  if (swallowInjected === undefined)
    return { airbag: { mode: 'off', reason: 'this display server does not tell which events programs injected' } }
  activity.foreign = { seen: 0, swallowed: 0 }
  if (mode === 'audit_only') return { airbag: { mode } }
  if ((env['DESKHAND_AIRBAG_EXCEPT'] ?? '') !== '')
    return {
      airbag: {
        mode: 'audit_only',
        reason: 'X does not say for which program input is meant, so that none can be excepted: nothing is swallowed',
      },
    }
  if (await swallowInjected()) return { airbag: { mode } }
  return {
    airbag: { mode: 'audit_only', reason: 'another program has grabbed the devices of injected input: it is seen and told, not swallowed' },
  }
}

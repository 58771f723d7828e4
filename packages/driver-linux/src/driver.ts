import { randomUUID } from 'node:crypto'
import { DeskhandError } from '@deskhand/core/errors'
import { type Cap, type Driver, type DriverInfo, PROTOCOL } from '@deskhand/core/driver'
import type { Rect } from '@deskhand/core/model'
import { Actor } from './act.ts'
import { accessibilityAddress, enableAccessibility, sessionBus } from './atspi/bus.ts'
import { REST_MS } from './atspi/stale-areas.ts'
import { Mirror } from './atspi/mirror.ts'
import { capabilities, isWayland } from './caps.ts'
import { BusError } from './dbus/index.ts'
import { LinuxDesktop } from './desktop.ts'
import { observeDesktop } from './observe.ts'
import { WindowOwners } from './window-owners.ts'
import type { Env } from './x11/authority.ts'
import { watchDamage } from './x11/damage.ts'
import { HumanWatch } from './x11/human.ts'
import { openXSession, type XSession } from './x11/session.ts'

const VERSION = '0.1.0'
/** Drawing comes in bursts; callers that wait for changes are told at the end of one. */
const BURST_MS = 25
/** A blinking caret is this narrow; it tells nothing of the tree. */
const CARET = 3

/** Opens the desktop that an environment names; DESKHAND_URN is what the caller calls it. */
export async function openLinux(env: Env): Promise<Driver> {
  const x = isWayland(env) ? undefined : await openXSession(env)
  const mirror = await openMirror(env).catch((error: unknown) => {
    x?.close()
    throw error
  })
  const desk = new LinuxDesktop(mirror, x?.windows, x && ((area) => x.grabber.grab(area)))
  const human = x === undefined ? undefined : await watchScreen(x, desk)
  await desk.settle()
  const info = describe(
    env,
    human !== undefined ? { ok: true } : { ok: false, reason: 'the X server does not tell which device sent an event (no XInput 2)' },
  )
  const actor = new Actor(desk, x, env, info.can)
  return {
    observe: observeDesktop(desk, x && { x, owners: new WindowOwners(desk, x.windows) }, info, env),
    act: actor,
    async close() {
      await actor.stop()
      x?.input.keymap.restore()
      mirror.close()
      x?.close()
    },
  }
}

/** Records what is drawn and what a person does. Undefined where a person's input cannot be told from ours. */
async function watchScreen(x: XSession, desk: LinuxDesktop): Promise<HumanWatch | undefined> {
  const { activity } = x
  const settleSoon = burst(desk)
  await watchDamage(x.display, (area) => {
    activity.draw(area)
    if (area.w > CARET) settleSoon(area)
  })
  x.screens.onChange = () => {
    activity.resize({ x: 0, y: 0, w: x.display.width, h: x.display.height })
    desk.mirror.log.add({ type: 'screens' })
  }
  return HumanWatch.open(x.display, x.input, activity)
}

async function openMirror(env: Env): Promise<Mirror> {
  try {
    if (env.AT_SPI_BUS_ADDRESS !== undefined) return await Mirror.open(env.AT_SPI_BUS_ADDRESS)
    const session = await sessionBus(env)
    try {
      await enableAccessibility(session)
      return await Mirror.open(await accessibilityAddress(session))
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

function describe(env: Env, humanInput: Cap): DriverInfo {
  return {
    protocol: PROTOCOL,
    kind: 'linux',
    name: 'linux',
    version: VERSION,
    prefixes: ['atspi'],
    desktop: env.DESKHAND_URN ?? `urn:deskhand:host:${env.DISPLAY ?? env.WAYLAND_DISPLAY ?? 'unknown'}`,
    epoch: randomUUID(),
    can: capabilities(env, humanInput),
  }
}

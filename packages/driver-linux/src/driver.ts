import { randomUUID } from 'node:crypto'
import { DeskhandError } from '@deskhand/core/errors'
import { type Cap, type Driver, type DriverInfo, PROTOCOL, practise } from '@deskhand/core/driver'
import type { Rect } from '@deskhand/core/model'
import { Actor } from './act.ts'
import { accessibilityAddress, enableAccessibility, sessionBus } from './atspi/bus.ts'
import { REST_MS } from './atspi/doubts.ts'
import { Mirror } from './atspi/mirror.ts'
import { capabilities, isWayland } from './caps.ts'
import { BusError } from './dbus/index.ts'
import { Covers } from './covers.ts'
import { Desk } from './desk.ts'
import { observeDesk } from './observe.ts'
import { SignLog } from './signs.ts'
import type { Env } from './x11/authority.ts'
import { Camera } from './x11/capture.ts'
import { Clipboard } from './x11/clipboard.ts'
import { watchDamage } from './x11/damage.ts'
import { Display } from './x11/display.ts'
import { HumanWatch } from './x11/human.ts'
import { Input } from './x11/input.ts'
import { Pinger } from './x11/ping.ts'
import { Screens } from './x11/screens.ts'
import { Windows } from './x11/windows.ts'

const VERSION = '0.1.0'
/** Drawing comes in bursts; whoever waits for changes is told at the end of one. */
const BURST_MS = 25
/** A blinking caret is this narrow; it tells nothing of the tree. */
const CARET = 3
/** A person's signs of life go into the log of changes this often at most. */
const AGAIN_MS = 100
/** So long after the start there is time to practise taking pictures. */
const PRACTICE_MS = 1000

/** Opens the desktop that an environment names. */
export async function openLinux(env: Env): Promise<Driver> {
  const x = isWayland(env) ? undefined : await openX(env)
  const mirror = await openMirror(env)
  const desk = new Desk(mirror, x?.windows)
  const human = x === undefined ? undefined : await watchScreen(x, desk)
  await desk.settle()
  const info = describe(
    env,
    human !== undefined ? { ok: true } : { ok: false, reason: 'the X server does not tell who sent an event (no XInput 2)' },
  )
  const actor = new Actor(desk, x, env, info.can)
  const practising = setTimeout(() => void practise().catch(() => {}), PRACTICE_MS).unref()
  return {
    observe: observeDesk(desk, x && { ...x, covers: new Covers(desk, x.windows) }, info),
    act: actor,
    async close() {
      clearTimeout(practising)
      await actor.stop()
      x?.input.keymap.restore()
      mirror.close()
      x?.close()
    },
  }
}

/** What is drawn and what a person does becomes a sign. Undefined where a person's input cannot be told from ours. */
async function watchScreen(x: X, desk: Desk): Promise<HumanWatch | undefined> {
  const { signs } = x
  const settleSoon = burst(desk)
  await watchDamage(x.display, (area) => {
    signs.draw(area)
    if (area.w > CARET) settleSoon(area)
  })
  signs.onHuman = tellChanges(desk)
  x.screens.onChange = () => {
    signs.resize({ x: 0, y: 0, w: x.display.width, h: x.display.height })
    desk.mirror.log.add({ type: 'screens' })
    desk.mirror.log.wake()
  }
  return HumanWatch.open(x.display, x.input, signs)
}

function tellChanges(desk: Desk): (device: 'pointer' | 'keys') => void {
  const { log } = desk.mirror
  const last = { pointer: -Infinity, keys: -Infinity }
  return (device) => {
    const now = performance.now()
    if (now - last[device] < AGAIN_MS) return
    last[device] = now
    log.add({ type: 'human', device })
    log.wake()
  }
}

interface X {
  display: Display
  input: Input
  windows: Windows
  camera: Camera
  clipboard: Clipboard
  pinger: Pinger
  signs: SignLog
  screens: Screens
  close(): void
}

async function openX(env: Env): Promise<X> {
  const display = await Display.open(env)
  const [input, windows, camera, clipboard, screens] = await Promise.all([
    Input.open(display),
    Windows.open(display),
    Camera.open(env),
    Clipboard.open(env),
    Screens.open(display),
  ])
  const close = (): void => {
    display.close()
    camera.close()
    clipboard.close()
  }
  return {
    display,
    input,
    windows,
    camera,
    clipboard,
    pinger: new Pinger(display),
    screens,
    signs: new SignLog({ x: 0, y: 0, w: display.width, h: display.height }),
    close,
  }
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

function burst(desk: Desk): (area: Rect) => void {
  let soon: NodeJS.Timeout | undefined
  let later: NodeJS.Timeout | undefined
  return (area) => {
    desk.disturb(area)
    if (!desk.mirror.log.isWaitedFor) return
    soon ??= setTimeout(() => {
      soon = undefined
      void desk.settle()
    }, BURST_MS)
    // The last picture of what was taken for an animation may be the one that matters.
    clearTimeout(later)
    later = setTimeout(() => void desk.settle(), REST_MS + 1)
  }
}

function describe(env: Env, humanInput: Cap): DriverInfo {
  const id = env.DESKHAND_DESKTOP
  return {
    protocol: PROTOCOL,
    kind: 'linux',
    name: 'linux',
    version: VERSION,
    desktop: id === undefined ? `urn:deskhand:host:${env.DISPLAY ?? env.WAYLAND_DISPLAY ?? 'unknown'}` : `urn:deskhand:sandbox:${id}`,
    epoch: randomUUID(),
    can: capabilities(env, humanInput),
  }
}

import { bundledPython, systemPython } from '@deskhand/code/python'
import { DeskhandError } from '@deskhand/core/errors'
import type { Check } from '@deskhand/core/model'
import type { waylandGaps } from '@deskhand/driver-linux'
import { Vision } from '@deskhand/vision'
import type { Config } from '../config.ts'
import { findPrograms } from '../desktop/programs.ts'
import { formats } from '../wiring/encode.ts'
import { humanOf } from '../wiring/human.ts'

/** What is there on this machine, what is missing, and the line that gets it. */
export async function examine(config: Config): Promise<Check[]> {
  return [node(), simulated(), sandbox(), ...(await host()), await pictures(), reading(config), person(config), ...(await pythons())]
}

const node = (): Check => ({ what: 'node', ok: true, detail: process.versions.node })
const simulated = (): Check => ({ what: 'virtual desktop', ok: true, detail: 'always there' })

function sandbox(): Check {
  try {
    findPrograms()
    return { what: 'sandbox desktop', ok: true, detail: 'Xvfb, session bus, accessibility bus and window manager are installed' }
  } catch (thrown) {
    const error = DeskhandError.from(thrown)
    return { what: 'sandbox desktop', ok: false, detail: error.message, fix: error.next }
  }
}

/** Both engines of python.run; without one of them the other still runs. */
function pythons(): Promise<Check[]> {
  return Promise.all(
    [bundledPython(), systemPython()].map(async (engine) => {
      const about = await engine.available()
      await engine.close()
      const what = `python (${engine.name})`
      return about.ok ? { what, ok: true, detail: about.version } : { what, ok: false, detail: about.reason, fix: about.fix }
    }),
  )
}

async function pictures(): Promise<Check> {
  const { jpeg } = await formats()
  return jpeg.ok
    ? { what: 'picture formats', ok: true, detail: 'png, jpeg, webp' }
    : { what: 'picture formats', ok: false, detail: `png; jpeg and webp are missing: ${jpeg.reason}`, fix: jpeg.fix }
}

function reading(config: Config): Check {
  const what = 'text in pixels'
  try {
    const { canRead } = new Vision(config.vision)
    return canRead.ok
      ? { what, ok: true, detail: canRead.lacks ?? 'can be read' }
      : { what, ok: false, detail: canRead.reason, fix: canRead.fix }
  } catch (thrown) {
    return { what, ok: false, detail: DeskhandError.from(thrown).message }
  }
}

function person(config: Config): Check {
  const what = 'person at the controls'
  try {
    const { mode, idleMs, corner } = humanOf(config)
    const told = {
      off: 'nobody looks for one',
      audit: 'what they do is recorded',
      enforce: `agents pause until ${idleMs / 1000} s after their last input`,
    }[mode]
    return { what, ok: true, detail: `${mode}: ${told}; the corner fail-safe is ${corner ? 'on' : 'off'}` }
  } catch (thrown) {
    return { what, ok: false, detail: DeskhandError.from(thrown).message }
  }
}

async function host(): Promise<Check[]> {
  if (process.platform === 'win32') return [{ what: 'host desktop', ok: true, detail: 'the desktop of this Windows session' }]
  const { waylandGaps } = await import('@deskhand/driver-linux')
  const gaps = await waylandGaps(process.env)
  return gaps === undefined ? [x11()] : wayland(gaps)
}

/** What a person gets who consents, part by part. */
function wayland(gaps: NonNullable<Awaited<ReturnType<typeof waylandGaps>>>): Check[] {
  const part = (what: string, name: keyof typeof gaps): Check => {
    const gap = gaps[name]
    if (gap === undefined || gap.ok) return { what: `host ${what}`, ok: true, detail: 'once the operator consents: deskhand consent give' }
    return { what: `host ${what}`, ok: false, detail: gap.reason, fix: gap.fix }
  }
  return [
    { what: 'host desktop', ok: true, detail: 'a Wayland session: elements can be read and operated by their own actions' },
    part('pointer', 'step:pointer'),
    part('keys and text', 'step:keys'),
    part('windows', 'step:window'),
    part('pictures', 'capture'),
    part('clipboard', 'clipboard'),
    part('person at controls', 'humanInput'),
  ]
}

function x11(): Check {
  const { DISPLAY, DBUS_SESSION_BUS_ADDRESS } = process.env
  if (DISPLAY === undefined) return { what: 'host desktop', ok: false, detail: 'no graphical session here' }
  const isAbstract = DBUS_SESSION_BUS_ADDRESS?.includes('unix:abstract=') === true && !DBUS_SESSION_BUS_ADDRESS.includes('unix:path=')
  if (isAbstract && process.versions.node.startsWith('20.'))
    return {
      what: 'host desktop',
      ok: false,
      detail: `X11 on ${DISPLAY}, with its session bus on an abstract socket, which Node 20 cannot reach`,
      fix: 'Log in to a session whose bus has a path (systemd, dbus-run-session), or use a sandbox.',
    }
  return {
    what: 'host desktop',
    ok: DBUS_SESSION_BUS_ADDRESS !== undefined,
    detail: `X11 on ${DISPLAY}${DBUS_SESSION_BUS_ADDRESS === undefined ? ', but no session bus' : ''}`,
  }
}

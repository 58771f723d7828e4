import { statSync } from 'node:fs'
import { DeskhandError } from '@deskhand/core/errors'
import { Place } from '../broker/place.ts'
import { stateDir } from '../config.ts'
import { findPrograms } from '../desktop/programs.ts'
import { configOf, type Common } from './connect.ts'

interface Check {
  what: string
  ok: boolean
  detail: string
  fix?: string
}

/** What is there, what is missing, and the line that gets it. */
export async function doctor(common: Common, options: { json?: boolean }): Promise<void> {
  const checks = [node(), configuration(common), simulated(), sandbox(), host(), trust(common)]
  if (options.json) process.stdout.write(`${JSON.stringify(checks)}\n`)
  else for (const c of checks) process.stdout.write(`${c.ok ? 'ok     ' : 'missing'}  ${c.what.padEnd(18)}  ${c.detail}${c.fix === undefined ? '' : `\n${' '.repeat(29)}${c.fix}`}\n`)
}

function node(): Check {
  return { what: 'node', ok: true, detail: process.versions.node }
}

function configuration(common: Common): Check {
  try {
    const config = configOf(common)
    return { what: 'configuration', ok: true, detail: `desktop ${config.desktop.kind}, mode ${config.policy.mode}, state in ${stateDir(config)}` }
  } catch (thrown) {
    const error = DeskhandError.from(thrown)
    return { what: 'configuration', ok: false, detail: error.message, fix: error.next }
  }
}

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

function host(): Check {
  const { DISPLAY, WAYLAND_DISPLAY, DBUS_SESSION_BUS_ADDRESS } = process.env
  if (WAYLAND_DISPLAY !== undefined) return { what: 'host desktop', ok: false, detail: 'a Wayland session: elements can be read, input and capture cannot be sent', fix: 'Log in to an X11 session, or use a sandbox.' }
  if (DISPLAY === undefined) return { what: 'host desktop', ok: false, detail: 'no graphical session here' }
  return { what: 'host desktop', ok: DBUS_SESSION_BUS_ADDRESS !== undefined, detail: `X11 on ${DISPLAY}${DBUS_SESSION_BUS_ADDRESS === undefined ? ', but no session bus' : ''}` }
}

/** Enforced needs another user for the broker than for the agent; the same user could read the operator's token. */
function trust(common: Common): Check {
  const running = Place.running(stateDir(configOf(common)))
  const [place] = running
  if (place === undefined) return { what: 'trust', ok: true, detail: 'no broker runs' }
  const owner = statSync(place.dir).uid
  const same = owner === process.getuid?.()
  return {
    what: 'trust',
    ok: true,
    detail: same ? `advisory: the broker ${place.name} runs as you, so a program of yours could read the operator's token` : `enforced: the broker ${place.name} runs as user ${owner}`,
    fix: same ? 'Run the broker as another user than the agent to enforce it.' : undefined,
  }
}

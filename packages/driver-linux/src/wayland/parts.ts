import type { Cap } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import type { Point, Rect } from '@deskhand/core/model'
import type { Env, Grab, Windows } from '../display-server.ts'
import type { Connection } from './connection.ts'
import { WlrDevice } from './device.ts'
import { WaylandInput } from './input.ts'
import { FakeInput } from './kwin/fake-input.ts'
import { keyboardGap } from './kwin/layout.ts'
import { KwinLink } from './kwin/link.ts'
import { KwinScreen } from './kwin/screen.ts'
import { KwinWindows } from './kwin/windows.ts'
import { type Found, gapsOf, swaySocket, waysIn } from './negotiate.ts'
import type { Outputs } from './outputs.ts'
import { WaylandScreen } from './screen.ts'
import { SwayWindows } from './sway-windows.ts'

/** Pictures, and where something was drawn. */
interface Eyes {
  grab: Grab
  watch(drawn: (area: Rect) => void): void
}

/** What a compositor turned out to offer, each part by one of several ways. */
export interface Parts {
  found: Found
  gaps: ReturnType<typeof gapsOf>
  input?: WaylandInput
  windows?: Windows & { close(): void }
  eyes?: Eyes
  close(): void
}

export async function openParts(connection: Connection, outputs: Outputs, env: Env): Promise<Parts> {
  const found: Found = waysIn(connection)
  const area = (): Rect => outputs.area
  const sway = swaySocket(env)
  const link = sway === undefined && connection.version('org_kde_plasma_shell') > 0 ? await KwinLink.open(env) : undefined
  const closers: (() => void)[] = link === undefined ? [] : [() => link.close()]
  try {
    let input: WaylandInput | undefined
    const pointer = (): Point | undefined => input?.at
    let windows: Parts['windows']
    if (sway !== undefined) windows = await SwayWindows.open(sway, area, pointer)
    else if (link !== undefined) windows = new KwinWindows(link, area, pointer)
    if (windows !== undefined) closers.push(() => windows.close())
    if (found.input !== undefined)
      input = await WaylandInput.open(connection, found.input === 'wlr' ? new WlrDevice(connection) : new FakeInput(connection), area)
    const eyes = found.capture === 'wlr' ? wlrEyes(connection, outputs) : link && (await kwinEyes(link, env, outputs))
    if (eyes !== undefined) closers.push(eyes.close)
    const parts: Found = {
      ...found,
      windows: sway !== undefined ? 'sway' : link && 'kwin',
      capture: found.capture ?? (eyes && 'kwin'),
    }
    const keyboard: Cap | undefined = parts.input === 'kwin' ? keyboardGap(env) : undefined
    const gaps = gapsOf(parts, link !== undefined, keyboard)
    return { found: parts, gaps, input, windows, eyes, close: () => closers.forEach((close) => close()) }
  } catch (error) {
    for (const close of closers) close()
    throw error
  }
}

function wlrEyes(connection: Connection, outputs: Outputs): Eyes & { close(): void } {
  const screen = new WaylandScreen(connection, outputs)
  return { grab: (area, allocate) => screen.grab(area, allocate), watch: (drawn) => void screen.watch(drawn), close: () => {} }
}

/** Undefined where KWin gives us no pictures. */
async function kwinEyes(link: KwinLink, env: Env, outputs: Outputs): Promise<(Eyes & { close(): void }) | undefined> {
  try {
    const screen = await KwinScreen.open(env, outputs)
    return {
      grab: (area, allocate) => screen.grab(area, allocate),
      watch: (drawn) => (link.onDrawn = (areas) => areas.forEach(drawn)),
      close: () => screen.close(),
    }
  } catch (error) {
    if (DeskhandError.from(error).code === 'TIMEOUT') throw error
    return undefined
  }
}

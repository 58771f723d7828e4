import type { ActivityLog, Cap } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import type { Point, Rect } from '@deskhand/core/model'
import type { Clipboard, Env, Grab, Windows } from '../display-server.ts'
import { WaylandClipboard } from './clipboard.ts'
import type { Connection } from './connection.ts'
import { WlrDevice } from './device.ts'
import { type GnomeParts, openGnome } from './gnome/parts.ts'
import { HumanWatch } from './human.ts'
import { WaylandInput } from './input.ts'
import { FakeInput } from './kwin/fake-input.ts'
import { keyboardGap } from './kwin/layout.ts'
import { KwinLink } from './kwin/link.ts'
import { KwinScreen } from './kwin/screen.ts'
import { LinkedWindows } from './linked-windows.ts'
import { type Found, gapsOf, KWIN_TRUSTS_NOT, swaySocket, waysIn, type Why } from './negotiate.ts'
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
  gaps: ReturnType<typeof gapsOf>
  input?: WaylandInput
  windows?: Windows & { close(): void }
  eyes?: Eyes
  clipboard?: Clipboard & { close(): void }
  /** Counts a person's input from now on. */
  watchPerson?(activity: ActivityLog): Promise<void>
  /** Calls back when the desktop itself takes back what its person allowed, at once where it did already. */
  onWithdrawn?(told: () => void): void
  close(): void
}

/** `asks`: whether the desktop's own dialogs may come up. */
export async function openParts(connection: Connection, outputs: Outputs, env: Env, asks: boolean): Promise<Parts> {
  const sway = swaySocket(env)
  const gnome = sway === undefined ? await openGnome(env, outputs, asks) : undefined
  return gnome === undefined ? openOthers(connection, outputs, env, sway) : partsOfGnome(gnome, outputs, asks)
}

function partsOfGnome(gnome: GnomeParts, outputs: Outputs, asks: boolean): Parts {
  const { link, why, input, eyes, clipboard, watchPerson, portal, close } = gnome
  const pointer = (): Point | undefined => input?.at
  const isWilling = (what: keyof Why, isThere: boolean): boolean =>
    why.windows === undefined && why[what] === undefined && (isThere || !asks)
  const found: Found = {
    ...(isWilling('windows', link.hasExtension) && { windows: 'gnome', clipboard: 'gnome', idle: 'gnome' }),
    ...(isWilling('input', input !== undefined) && { input: 'portal' }),
    ...(isWilling('capture', eyes !== undefined) && { capture: 'portal' }),
  }
  const windows = found.windows === undefined ? undefined : new LinkedWindows(link, () => outputs.area, pointer)
  return {
    gaps: gapsOf(found, why),
    input,
    windows,
    eyes,
    clipboard,
    watchPerson,
    ...(portal && { onWithdrawn: (told) => portal.whenEnded(told) }),
    close,
  }
}

async function openOthers(connection: Connection, outputs: Outputs, env: Env, sway: string | undefined): Promise<Parts> {
  const found: Found = waysIn(connection)
  const area = (): Rect => outputs.area
  const link = sway === undefined && connection.version('org_kde_plasma_shell') > 0 ? await KwinLink.open(env) : undefined
  const closers: (() => void)[] = link === undefined ? [] : [() => link.close()]
  try {
    let input: WaylandInput | undefined
    const pointer = (): Point | undefined => input?.at
    let windows: Parts['windows']
    if (sway !== undefined) windows = await SwayWindows.open(sway, area, pointer)
    else if (link !== undefined) windows = new LinkedWindows(link, area, pointer)
    if (windows !== undefined) closers.push(() => windows.close())
    if (found.input !== undefined)
      input = await WaylandInput.open(connection, found.input === 'wlr' ? new WlrDevice(connection) : new FakeInput(connection), area)
    const eyes = found.capture === 'wlr' ? wlrEyes(connection, outputs) : link && (await kwinEyes(link, env, outputs))
    if (eyes !== undefined) closers.push(eyes.close)
    const clipboard = found.clipboard === undefined ? undefined : new WaylandClipboard(env)
    if (clipboard !== undefined) closers.push(() => clipboard.close())
    const parts: Found = {
      ...found,
      windows: sway !== undefined ? 'sway' : link && 'kwin',
      capture: found.capture ?? (eyes && 'kwin'),
    }
    const keyboard: Cap | undefined = parts.input === 'kwin' ? keyboardGap(env) : undefined
    const gaps = gapsOf(parts, { ...(link !== undefined && KWIN_TRUSTS_NOT), keyboard })
    const watchPerson = async (activity: ActivityLog): Promise<void> => {
      if (gaps.humanInput === undefined && input !== undefined) new HumanWatch(connection, input, activity)
    }
    return { gaps, input, windows, eyes, clipboard, watchPerson, close: () => closers.forEach((close) => close()) }
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

import { DeskhandError } from '@deskhand/core/errors'
import type { CrtcInfo, RandR, ScreenResources } from 'x11'
import type { Env } from '../display-server.ts'
import { Display } from './display.ts'

const UPRIGHT = 1
/** A pixel of a screen of 96 to the inch. */
const MILLIMETRES = 25.4 / 96

/** Gives the screen of an X server that has no monitor another size: at most the one that the server was started with. */
export async function resizeScreen(env: Env, width: number, height: number): Promise<void> {
  const display = await Display.open(env)
  try {
    const { client, root } = display
    const randr = await display.ask<RandR>((reply) => client.require('randr', reply))
    const most = await display.ask<{ maxWidth: number; maxHeight: number }>((reply) => randr.GetScreenSizeRange(root, reply))
    if (width > most.maxWidth || height > most.maxHeight)
      throw new DeskhandError('BAD_ARGS', `the screen was made for ${most.maxWidth}x${most.maxHeight} and cannot be larger`, {
        next: 'Bring up a sandbox with a larger width and height in deskhand.toml.',
      })
    const found = await display.ask<ScreenResources>((reply) => randr.GetScreenResources(root, reply))
    const [crtc, output] = [found.crtcs[0], found.outputs[0]]
    if (crtc === undefined || output === undefined) throw new DeskhandError('NOT_CAPABLE', 'this X server has no screen to resize')
    const before = await display.ask<CrtcInfo>((reply) => randr.GetCrtcInfo(crtc, found.config_timestamp, reply))
    const mode = await modeOf(display, randr, found, width, height)
    randr.AddOutputMode(output, mode)
    // The screen may not be smaller than what shows it, nor the other way round: meanwhile nothing shows it.
    const set = (id: number, outputs: number[]): Promise<unknown> =>
      display.ask((reply) => randr.SetCrtcConfig(crtc, 0, found.config_timestamp, 0, 0, id, UPRIGHT, outputs, reply))
    client.GrabServer()
    try {
      await set(0, [])
      randr.SetScreenSize(root, width, height, Math.round(width * MILLIMETRES), Math.round(height * MILLIMETRES))
      await set(mode, [output]).catch(async (thrown: unknown) => {
        await set(before.mode, [output])
        throw thrown
      })
    } finally {
      client.UngrabServer()
    }
    await display.sync()
  } finally {
    display.close()
  }
}

/** The mode of this size, which is made where there is none. */
async function modeOf(display: Display, randr: RandR, { modeinfos }: ScreenResources, width: number, height: number): Promise<number> {
  const known = modeinfos.find((m) => m.width === width && m.height === height)
  if (known !== undefined) return known.id
  const name = `${width}x${height}-deskhand`
  const [h, v] = [width + 40, height + 10]
  const times = {
    h_sync_start: width + 10,
    h_sync_end: width + 20,
    h_total: h,
    v_sync_start: height + 3,
    v_sync_end: height + 6,
    v_total: v,
  }
  return display.ask<number>((reply) => randr.CreateMode(display.root, { width, height, name, dot_clock: h * v * 60, ...times }, reply))
}

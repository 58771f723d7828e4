import type { Screen } from '@deskhand/core/model'
import type { RandR } from 'x11'
import type { Display } from './display.ts'

/** The monitors; where the server does not tell of any, the whole root window is one. */
export async function screensOf(display: Display): Promise<Screen[]> {
  const whole: Screen = { id: 'screen-0', bounds: { x: 0, y: 0, w: display.width, h: display.height }, scale: 1, primary: true }
  try {
    const randr = await display.ask<RandR>((reply) => display.client.require('randr', reply))
    const resources = await display.ask<{ outputs: number[]; configTimestamp: number }>((reply) =>
      randr.GetScreenResourcesCurrent(display.root, reply),
    )
    const primary = await display.ask<number>((reply) => randr.GetOutputPrimary(display.root, reply)).catch(() => 0)
    const found = await Promise.all(resources.outputs.map((o) => outputOf(display, randr, o, resources.configTimestamp, o === primary)))
    const screens = found.filter((s) => s !== undefined)
    if (screens.length === 0) return [whole]
    const first = screens[0]
    if (first !== undefined && !screens.some((s) => s.primary)) first.primary = true
    return screens
  } catch (error) {
    if (!display.isOpen) throw error
    return [whole]
  }
}

async function outputOf(display: Display, randr: RandR, output: number, time: number, primary: boolean): Promise<Screen | undefined> {
  const info = await display.ask<{ crtc: number; name: string }>((reply) => randr.GetOutputInfo(output, time, reply))
  if (info.crtc === 0) return undefined
  const crtc = await display.ask<{ x: number; y: number; width: number; height: number }>((reply) =>
    randr.GetCrtcInfo(info.crtc, time, reply),
  )
  return crtc.width === 0
    ? undefined
    : { id: info.name, bounds: { x: crtc.x, y: crtc.y, w: crtc.width, h: crtc.height }, scale: 1, primary }
}

import { ActivityLog } from '@deskhand/core/driver'
import type { Env } from './authority.ts'
import { Clipboard } from './clipboard.ts'
import { Display } from './display.ts'
import { ScreenGrabber } from './grab.ts'
import { XTestInput } from './input.ts'
import { Pinger } from './ping.ts'
import { Screens } from './screens.ts'
import { Windows } from './windows.ts'

/** Everything that the driver uses of one X server. */
export interface XSession {
  display: Display
  input: XTestInput
  windows: Windows
  grabber: ScreenGrabber
  clipboard: Clipboard
  pinger: Pinger
  activity: ActivityLog
  screens: Screens
  close(): void
}

export async function openXSession(env: Env): Promise<XSession> {
  const display = await Display.open(env)
  const [input, windows, grabber, clipboard, screens] = await Promise.all([
    XTestInput.open(display),
    Windows.open(display),
    ScreenGrabber.open(env),
    Clipboard.open(env),
    Screens.open(display),
  ])
  const close = (): void => {
    activity.close()
    display.close()
    grabber.close()
    clipboard.close()
  }
  const activity = new ActivityLog({ x: 0, y: 0, w: display.width, h: display.height })
  return { display, input, windows, grabber, clipboard, pinger: new Pinger(display), activity, screens, close }
}

import { type XTest } from 'x11'
import type { Env } from './display-server.ts'
import { isWayland } from './open-server.ts'
import { releaseInKwin } from './wayland/kwin/release.ts'
import { Display } from './x11/display.ts'

const KEY_RELEASE = 3
const BUTTON_RELEASE = 5

/** Lets go of every key and button that is down on a desktop. For a broker whose driver host was killed before it could do so itself. */
export async function releaseAll(env: Env): Promise<{ keys: number; buttons: number }> {
  if (isWayland(env)) return releaseInKwin(env)
  const display = await Display.open(env)
  try {
    const { client, root } = display
    const [xtest, keymap, { keyMask }, mapping] = await Promise.all([
      display.ask<XTest>((reply) => client.require('xtest', reply)),
      display.ask<Buffer>((reply) => client.QueryKeymap(reply)),
      display.ask<{ keyMask: number }>((reply) => client.QueryPointer(root, reply)),
      display.ask<number[][]>((reply) => client.GetModifierMapping(reply)),
    ])
    const modifiers = new Set(mapping.flat())
    let keys = 0
    for (let code = 8; code < 256; code++) {
      if ((((keymap[code >> 3] ?? 0) >> (code & 7)) & 1) === 0) continue
      xtest.FakeInput(KEY_RELEASE, code, 0, 0, 0, 0)
      // A key that a driver holds does not repeat, nor does a modifier ever.
      if (!modifiers.has(code)) client.ChangeKeyboardControl({ key: code, autoRepeatMode: 1 })
      keys++
    }
    let buttons = 0
    for (let button = 1; button <= 5; button++) {
      if ((keyMask & (0x80 << button)) === 0) continue
      xtest.FakeInput(BUTTON_RELEASE, button, 0, 0, 0, 0)
      buttons++
    }
    await display.sync()
    return { keys, buttons }
  } finally {
    display.close()
  }
}

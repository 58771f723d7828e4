import type { Env } from '../../display-server.ts'
import { Connection } from '../connection.ts'
import { BUTTONS } from '../input.ts'
import { US } from '../keymap.ts'
import { FakeInput } from './fake-input.ts'

/** KWin keeps down what a program held that is gone; other compositors let go of it themselves. */
export async function releaseInKwin(env: Env): Promise<{ keys: number; buttons: number }> {
  const connection = await Connection.open(env)
  try {
    if (connection.version('org_kde_kwin_fake_input') === 0) return { keys: 0, buttons: 0 }
    const input = new FakeInput(connection)
    const codes = new Set([...US.values()].map(({ code }) => code))
    const buttons = Object.values(BUTTONS)
    for (const code of codes) input.key(code, false)
    for (const button of buttons) input.button(button, false)
    await connection.sync()
    return { keys: codes.size, buttons: buttons.length }
  } finally {
    connection.close()
  }
}

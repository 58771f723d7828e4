import type { Env } from '../display-server.ts'
import { Connection } from './connection.ts'

/** Whether a compositor answers and shows a screen. */
export async function isCompositorUp(env: Env): Promise<boolean> {
  const connection = await Connection.open(env).catch(() => undefined)
  const isUp = connection !== undefined && connection.version('wl_output') > 0
  connection?.close()
  return isUp
}

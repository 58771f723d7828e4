import { serveMcp } from '../mcp/server.ts'
import { configOf, lastingDesk, type Common } from './connect.ts'

/** Serves until the client closes its end. */
export async function mcp(common: Common): Promise<void> {
  const config = configOf(common)
  const desk = await lastingDesk(common)
  const handle = serveMcp(desk, { waitMs: config.approvals.waitSeconds * 1000, toolsets: config.toolsets })
  await new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve)
    process.once('SIGTERM', resolve).once('SIGINT', resolve)
  })
  await handle.close()
  await desk.close()
  process.exit(0)
}

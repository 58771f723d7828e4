import { DeskhandError } from '@deskhand/core/errors'
import type { Common } from './common.ts'
import { lastingDesk, settingsOf } from './connect.ts'

/** Serves until the client closes its end. */
export async function mcp(common: Common, { describe }: { describe: string }): Promise<void> {
  if (describe !== 'short' && describe !== 'full') throw new DeskhandError('BAD_ARGS', `--describe takes short or full, not ${describe}`)
  const { waitSeconds, toolsets } = await settingsOf(common)
  const [{ serveMcp }, desk] = await Promise.all([import('../mcp/server.ts'), lastingDesk(common)])
  const handle = serveMcp(desk, { waitMs: waitSeconds * 1000, toolsets, describe })
  await new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve)
    process.once('SIGTERM', resolve).once('SIGINT', resolve)
  })
  await handle.close()
  await desk.close()
  process.exit(0)
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'deskhand'
import { DesktopState } from '../../packages/deskhand/src/broker/desktop-state.ts'
import { Broker } from '../../packages/deskhand/src/broker/server.ts'
import { Config, type ConfigInput } from '../../packages/deskhand/src/config.ts'
import { openSession, type OpenedSession } from '../../packages/deskhand/src/wiring/open.ts'

/** A simulated desktop behind a broker in this process, for clients that come over its socket. */
export interface Served {
  state: string
  opened: OpenedSession
  broker: Broker
  client(as?: string): ReturnType<typeof connect>
  close(): Promise<void>
}

export async function served(config: ConfigInput = {}, state = mkdtempSync(join(tmpdir(), 'dh-served-'))): Promise<Served> {
  const place = new DesktopState(state, config.desktop?.name ?? 'virtual')
  place.prepare()
  const unlock = await place.lock()
  const parsed = Config.parse({ ...config, state })
  const opened = await openSession(parsed, { place, interactive: true })
  const broker = await Broker.start({ ...opened, config: parsed, place })
  return {
    state,
    opened,
    broker,
    client: (as) => connect({ state, as }),
    close: async () => {
      await broker.close()
      await opened.close()
      unlock()
      rmSync(state, { recursive: true, force: true })
    },
  }
}

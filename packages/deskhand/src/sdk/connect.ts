import { DeskhandError } from '@deskhand/core/errors'
import { AgentSocket } from '../broker/agent-socket.ts'
import { BrokerClient } from '../broker/client.ts'
import { DesktopState } from '../broker/desktop-state.ts'
import { readSettings } from '../settings.ts'

/** Connects to the broker of a desktop that is up, as the agent or as another principal of the user who owns it. */
export async function connect(options: { name?: string; as?: string; state?: string } = {}): Promise<BrokerClient> {
  const door = process.env['DESKHAND_DOOR']
  if (door !== undefined && Object.keys(options).length === 0) return BrokerClient.through(new AgentSocket(door))
  const state = options.state ?? (await readSettings()).state
  const running = DesktopState.running(state)
  const place = options.name === undefined ? running[0] : running.find((p) => p.name === options.name)
  if (place === undefined)
    throw new DeskhandError('NO_BROKER', `no broker runs${options.name === undefined ? '' : ` for the desktop ${options.name}`}`)
  return BrokerClient.connect(place, options.as ?? 'agent')
}

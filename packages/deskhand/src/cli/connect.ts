import { DeskhandError } from '@deskhand/core/errors'
import { AgentSocket } from '../broker/agent-socket.ts'
import { BrokerClient } from '../broker/client.ts'
import { DesktopState } from '../broker/desktop-state.ts'
import { refusal, type Desk } from '../sdk/desk.ts'
import { readSettings, type Settings } from '../settings.ts'
import type { Common } from './common.ts'

export const settingsOf = (common: Common): Promise<Settings> => readSettings({ file: common.config, name: common.name })

/** The broker to talk to: the named one, or the only one that runs. */
export async function placeOf(common: Common): Promise<DesktopState | undefined> {
  return placeIn(await settingsOf(common))
}

function placeIn({ state, name }: Settings): DesktopState | undefined {
  const running = DesktopState.running(state)
  if (name !== undefined) return running.find((p) => p.name === name)
  if (running.length > 1)
    throw new DeskhandError('BAD_ARGS', `several desktops are up: ${running.map((p) => p.name).join(', ')}`, {
      next: 'Name one with --name.',
    })
  return running[0]
}

/** The running broker as an agent, through the door where one is named; without a broker, a simulated desktop in this process. */
export async function agentDesk(common: Common): Promise<Desk> {
  const { DESKHAND_DOOR: door, DESKHAND_AGENT: agent = 'agent' } = process.env
  if (door !== undefined) return BrokerClient.through(new AgentSocket(door))
  if (agent === 'operator')
    throw new DeskhandError('UNAUTHORIZED', 'the operator makes no calls for an agent', {
      next: 'Unset DESKHAND_AGENT, or name an agent in it.',
    })
  const settings = await settingsOf(common)
  const place = placeIn(settings)
  if (place !== undefined) return BrokerClient.connect(place, agent)
  if (common.name !== undefined || settings.kind !== 'virtual')
    throw new DeskhandError('NO_BROKER', `no broker runs for the desktop ${common.name ?? settings.kind}`)
  const [{ open }, { configOf }] = await Promise.all([import('../wiring/open.ts'), import('./config.ts')])
  return open({ config: configOf(common) })
}

/** The same, for a client that stays: when the broker went away, the next call looks for it again. A call that was under way is never repeated. */
export async function lastingDesk(common: Common): Promise<Desk> {
  let current: Desk | undefined
  const connect = async (): Promise<Desk> => {
    const desk = await agentDesk(common)
    if (desk instanceof BrokerClient) void desk.closed.then(() => (current = current === desk ? undefined : current))
    return (current = desk)
  }
  const first = await connect()
  if (!(first instanceof BrokerClient)) return first
  return {
    call: async (tool, args, options) => {
      try {
        if (current === undefined && process.env['DESKHAND_DOOR'] === undefined && (await placeOf(common)) === undefined)
          throw new DeskhandError('NO_BROKER', 'the broker went away')
        return await (current ?? (await connect())).call(tool, args, options)
      } catch (thrown) {
        return refusal(DeskhandError.from(thrown))
      }
    },
    relay: async (...answer) => current?.relay?.(...answer),
    close: async () => current?.close(),
  }
}

export async function operatorClient(common: Common): Promise<BrokerClient> {
  const place = await placeOf(common)
  if (place === undefined) throw new DeskhandError('NO_BROKER', 'no broker runs')
  return BrokerClient.connect(place, 'operator')
}

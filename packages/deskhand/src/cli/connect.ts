import { DeskhandError } from '@deskhand/core/errors'
import { BrokerClient } from '../broker/client.ts'
import { Door } from '../broker/door.ts'
import { Place } from '../broker/place.ts'
import { loadConfig, stateDir, type Config } from '../config.ts'
import { refusal, type Desk } from '../desk.ts'
import { open } from '../open.ts'

/** Options that stand before every command. */
export interface Common {
  config?: string
  name?: string
}

export function configOf(common: Common, flags: Parameters<typeof loadConfig>[0] = {}): Config {
  return loadConfig({
    file: common.config,
    ...flags,
    flags: { ...flags.flags, desktop: { ...flags.flags?.desktop, ...(common.name === undefined ? {} : { name: common.name }) } },
  })
}

/** The broker to talk to: the named one, or the only one that runs. */
export function placeOf(common: Common): Place | undefined {
  const config = configOf(common)
  const state = stateDir(config)
  const running = Place.running(state)
  const name = common.name ?? config.desktop.name
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
  if (door !== undefined) return BrokerClient.through(new Door(door))
  if (agent === 'operator')
    throw new DeskhandError('UNAUTHORIZED', 'the operator makes no calls for an agent', {
      next: 'Unset DESKHAND_AGENT, or name an agent in it.',
    })
  const place = placeOf(common)
  if (place !== undefined) return BrokerClient.connect(place, agent)
  const config = configOf(common)
  if (common.name !== undefined || config.desktop.kind !== 'virtual')
    throw new DeskhandError('NO_BROKER', `no broker runs for the desktop ${common.name ?? config.desktop.kind}`)
  return open({ config })
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
        if (current === undefined && process.env['DESKHAND_DOOR'] === undefined && placeOf(common) === undefined)
          throw new DeskhandError('NO_BROKER', 'the broker went away')
        return await (current ?? (await connect())).call(tool, args, options)
      } catch (thrown) {
        return refusal(DeskhandError.from(thrown))
      }
    },
    close: async () => current?.close(),
  }
}

export async function operatorClient(common: Common): Promise<BrokerClient> {
  const place = placeOf(common)
  if (place === undefined) throw new DeskhandError('NO_BROKER', 'no broker runs')
  return BrokerClient.connect(place, 'operator')
}

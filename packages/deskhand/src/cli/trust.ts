import { statSync } from 'node:fs'
import { DeskhandError } from '@deskhand/core/errors'
import type { Check, Trust } from '@deskhand/core/model'
import { AgentSocket } from '../broker/agent-socket.ts'
import { BrokerClient } from '../broker/client.ts'
import { DesktopState } from '../broker/desktop-state.ts'
import type { Common } from './common.ts'
import { settingsOf } from './connect.ts'

const HOW = 'docs/trust.md says how to run the agent as another user.'

/** Whether what the policy says is enforced or advisory, seen from where this user stands. */
export async function trust(common: Common, env: NodeJS.ProcessEnv = process.env): Promise<Check[]> {
  const door = env['DESKHAND_DOOR']
  if (door !== undefined) return [await throughDoor(new AgentSocket(door))]
  const running = DesktopState.running((await settingsOf(common)).state)
  return running.length === 0 ? [check(true, 'no broker runs')] : running.map(asOwner)
}

/** Seen by an agent: it is enforced when nothing but the door is open to it. */
async function throughDoor(door: AgentSocket): Promise<Check> {
  const owner = statSync(door.dir, { throwIfNoEntry: false })?.uid
  if (owner === undefined) return check(false, `there is no door ${door.dir}`, 'Start the broker with --agent-group and --door.')
  const me = process.getuid?.()
  if (me === 0) return check(true, 'advisory: you are root, whom nothing keeps from anything', HOW)
  if (owner === me) return check(true, `advisory: the broker behind ${door.dir} runs as you`, HOW)
  const told = await askTrust(door)
  if (told instanceof DeskhandError) return check(false, told.message, told.next ?? 'Start it with: deskhand up --agent-group <group>')
  if (told.level !== 'enforced') return check(true, `advisory: ${told.why}`, HOW)
  return check(true, `enforced: the broker runs as user ${owner}, of what is its own only ${door.dir} is open to you, and ${told.why}`)
}

/** Seen by the broker's own user. */
function asOwner(place: DesktopState): Check {
  const door = place.door()
  const yours = `programs of yours, an agent with a shell among them, could come in by the operator's socket of ${place.name} and approve for themselves`
  if (door === undefined) return check(true, `advisory: ${yours}`, HOW)
  const { level, why } = door.trust ?? UNTOLD
  if (level !== 'enforced') return check(true, `advisory, also for agents who come through ${door.dir}: ${why}`, HOW)
  return check(true, `enforced for agents of the group ${door.gid} who come through ${door.dir} as other users than you: ${why}; ${yours}`)
}

/** What a broker says that does not say how far it can be trusted. */
const UNTOLD: Trust = { level: 'advisory', why: 'the broker is of a version that does not tell' }

async function askTrust(door: AgentSocket): Promise<Trust | DeskhandError> {
  try {
    const client = await BrokerClient.through(door)
    try {
      return (await client.invoke('info', {})).trust ?? UNTOLD
    } finally {
      await client.close()
    }
  } catch (thrown) {
    return DeskhandError.from(thrown)
  }
}

const check = (ok: boolean, detail: string, fix?: string): Check => ({ what: 'trust', ok, detail, fix })

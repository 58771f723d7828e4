import { DeskhandError } from '@deskhand/core/errors'
import { Mode } from '@deskhand/core/model'
import type { InputGrant } from '@deskhand/core/policy'
import { BrokerClient } from '../broker/client.ts'
import { Place } from '../broker/place.ts'
import { stateDir } from '../config.ts'
import { configOf, operatorClient, type Common } from './connect.ts'

export const stop = (common: Common): Promise<void> =>
  asOperator(common, async (c) => (await c.stop(), say('stopped; deskhand resume lets it go on')))

export const pause = (common: Common): Promise<void> =>
  asOperator(common, async (c) => (await c.pause(), say('scripts wait before their next call; deskhand resume lets them go on')))

export const resume = (common: Common): Promise<void> => asOperator(common, async (c) => (await c.resume(), say('resumed')))

export const down = (common: Common): Promise<void> => asOperator(common, async (c) => (await c.shutdown(), await c.closed, say('down')))

export const mode = (
  common: Common,
  wanted: string | undefined,
  options: { app?: string[]; input: string; minutes: string },
): Promise<void> =>
  asOperator(common, async (c) => {
    if (wanted === undefined) return say((await c.info()).mode)
    const read = Mode.safeParse(wanted)
    if (!read.success) throw new DeskhandError('BAD_ARGS', `there is no mode ${wanted}`, { next: `Use one of ${Mode.options.join(', ')}.` })
    await c.setMode(read.data, read.data === 'allow_actual_input_restricted' ? [grantOf(options)] : [])
    say(read.data)
  })

export async function status(common: Common): Promise<void> {
  const running = Place.running(stateDir(configOf(common)))
  if (running.length === 0) return say('no broker runs; start one with: deskhand up')
  for (const place of running) {
    const state = await stateOf(place).catch(() => 'does not answer')
    say(`${place.name}\tpid ${place.holder()?.pid}\t${place.socket}\t${state}`)
  }
}

async function stateOf(place: Place): Promise<string> {
  const client = await BrokerClient.connect(place, 'operator')
  try {
    const { stopped, paused, mode: reached, human } = await client.info()
    const person =
      human.since === undefined ? [] : [`a person is at the controls since ${human.since}${human.paused ? ', agents wait' : ''}`]
    return [stopped ? 'stopped' : 'running', ...(paused ? ['scripts wait'] : []), reached, `human input ${human.mode}`, ...person].join(
      ', ',
    )
  } finally {
    await client.close()
  }
}

export async function asOperator(common: Common, work: (client: BrokerClient) => Promise<void>): Promise<void> {
  const client = await operatorClient(common)
  try {
    await work(client)
  } finally {
    await client.close()
  }
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)

function grantOf(options: { app?: string[]; input: string; minutes: string }): InputGrant {
  const { app: apps = [], input, minutes } = options
  if (apps.length === 0) throw new DeskhandError('BAD_ARGS', 'the restricted mode needs --app')
  if (input !== 'keyboard' && input !== 'mouse' && input !== 'any') throw new DeskhandError('BAD_ARGS', `there is no input ${input}`)
  const span = Number(minutes) * 60_000
  if (!(span > 0)) throw new DeskhandError('BAD_ARGS', `${minutes} is no number of minutes`)
  return { apps, input, until: Date.now() + span }
}

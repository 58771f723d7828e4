import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '@deskhand/core/errors'
import type { InputGrant } from '@deskhand/core/model'
import { BrokerClient } from '../broker/client.ts'
import { DesktopState } from '../broker/desktop-state.ts'
import type { Common } from './common.ts'
import { operatorClient, placeOf, settingsOf } from './connect.ts'

export const stop = (common: Common): Promise<void> =>
  asOperator(common, async (c) => (await c.invoke('stop', {}), say('stopped; deskhand resume lets it go on')))

export const pause = (common: Common): Promise<void> =>
  asOperator(common, async (c) => (await c.invoke('pause', {}), say('acting calls wait; deskhand resume lets them go on')))

export const resume = (common: Common): Promise<void> => asOperator(common, async (c) => (await c.invoke('resume', {}), say('resumed')))

export const giveConsent = (common: Common, { minutes }: { minutes: string }): Promise<void> =>
  asOperator(common, async (c) => {
    const { until } = await c.invoke('consent.give', { minutes: minutesOf(minutes) })
    say(`agents may send input and see pixels until ${until}; deskhand consent withdraw ends it`)
  })

export const withdrawConsent = (common: Common): Promise<void> =>
  asOperator(common, async (c) => (await c.invoke('consent.withdraw', {}), say('withdrawn')))

/** It is down when its process has let go of the desktop: the record is closed then, and another broker can start. */
export async function down(common: Common): Promise<void> {
  const place = await placeOf(common)
  await asOperator(common, async (c) => (await c.invoke('shutdown', {}), void (await c.closed)))
  for (const end = Date.now() + DOWN_MS; place?.holder() !== undefined && Date.now() < end;) await sleep(LOOK_MS)
  say('down')
}

const DOWN_MS = 20_000
const LOOK_MS = 10

export const mode = (
  common: Common,
  wanted: string | undefined,
  options: { app?: string[]; input: string; minutes: string },
): Promise<void> =>
  asOperator(common, async (c) => {
    if (wanted === undefined) return say((await c.invoke('info', {})).mode)
    const { Mode } = await import('@deskhand/core/model/principal')
    const read = Mode.safeParse(wanted)
    if (!read.success) throw new DeskhandError('BAD_ARGS', `there is no mode ${wanted}`, { next: `Use one of ${Mode.options.join(', ')}.` })
    await c.invoke('mode', { mode: read.data, grants: read.data === 'allow_actual_input_restricted' ? [grantOf(options)] : [] })
    say(read.data)
  })

export const pythonTimeout = (common: Common, seconds: string | undefined): Promise<void> =>
  asOperator(common, async (c) => {
    if (seconds !== undefined) await c.invoke('settings.python', { timeout: Number(seconds) })
    const { python } = await c.invoke('settings', {})
    say(`python.run may take ${python.timeout} s`)
  })

export async function status(common: Common): Promise<void> {
  const running = DesktopState.running((await settingsOf(common)).state)
  if (running.length === 0) return say('no broker runs; start one with: deskhand up')
  for (const place of running) {
    const state = await stateOf(place).catch(() => 'does not answer')
    say(`${place.name}\tpid ${place.holder()?.pid}\t${place.socket}\t${state}`)
  }
}

async function stateOf(place: DesktopState): Promise<string> {
  const client = await BrokerClient.connect(place, 'operator')
  try {
    const { stopped, paused, mode: reached, human } = await client.invoke('info', {})
    const person =
      human.since === undefined ? [] : [`a person is at the controls since ${human.since}${human.paused ? ', agents wait' : ''}`]
    return [stopped ? 'stopped' : 'running', ...(paused ? ['paused'] : []), reached, `human input ${human.mode}`, ...person].join(', ')
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
  return { apps, input, until: Date.now() + minutesOf(minutes) * 60_000 }
}

function minutesOf(text: string): number {
  const minutes = Number(text)
  if (!(minutes > 0)) throw new DeskhandError('BAD_ARGS', `${text} is no number of minutes`)
  return minutes
}

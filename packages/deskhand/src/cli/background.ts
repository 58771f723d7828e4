import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '@deskhand/core/errors'
import type { Desk } from '../sdk/desk.ts'
import type { Common } from './common.ts'
import { agentDesk, placeOf } from './connect.ts'

/** A desktop of which no client asks anything for so long ends. */
const IDLE_MINUTES = 15
const START_MS = 60_000
const LOOK_MS = 20

/** The desktop that runs, as an agent; where none does, one is started in the background, which ends by itself when idle. */
export async function startedDesk(common: Common): Promise<Desk> {
  if (process.env['DESKHAND_DOOR'] === undefined && (await placeOf(common)) === undefined) await start(common)
  return agentDesk(common)
}

async function start(common: Common): Promise<void> {
  const own = [
    ...(common.config === undefined ? [] : ['--config', common.config]),
    ...(common.name === undefined ? [] : ['--name', common.name]),
    ...['up', '--no-http', '--json', '--idle', process.env['DESKHAND_IDLE_MINUTES'] ?? String(IDLE_MINUTES)],
  ]
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? '', ...own], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let told = ''
  let ready = ''
  let ended = false
  child.stderr.setEncoding('utf8').on('data', (text: string) => (told += text))
  child.stdout.setEncoding('utf8').on('data', (text: string) => (ready += text))
  child.once('exit', () => (ended = true))
  const end = Date.now() + START_MS
  while (!ready.includes('\n') && !ended && Date.now() < end) await sleep(LOOK_MS)
  // Another command may have started the same one at the same time.
  const isUp = ready.includes('\n') || (ended && (await placeOf(common)) !== undefined)
  child.stdout.destroy()
  child.stderr.destroy()
  child.unref()
  if (!isUp) throw new DeskhandError('NO_BROKER', `no desktop came up: ${told.trim().slice(0, 500) || 'it said nothing'}`)
  process.stderr.write(`note: started a desktop in the background; it ends when idle, or with: deskhand down\n`)
}

import { join } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import { stateDir } from '../config.ts'
import { bringUp } from '../desktop/sandbox.ts'
import { listSandboxes, reap, takeDown } from '../desktop/takedown.ts'
import { configOf, type Common } from './connect.ts'

const sandboxes = (common: Common): string => join(stateDir(configOf(common)), 'sandboxes')

export async function desktopUp(common: Common, options: { width: string; height: string; json?: boolean }): Promise<void> {
  const dir = sandboxes(common)
  await reap(dir)
  const { record, display } = await bringUp({ stateDir: dir, width: pixels(options.width), height: pixels(options.height), keep: true })
  say(options.json ? JSON.stringify({ id: record.id, display, dir: record.dir }) : `${record.id} is up on ${display}; own it with: deskhand up --desktop sandbox --sandbox ${record.id}`)
}

export async function desktopDown(common: Common, id: string | undefined): Promise<void> {
  const dir = sandboxes(common)
  const all = listSandboxes(dir)
  const chosen = id === undefined ? all : all.filter((s) => s.record.id.startsWith(id))
  if (id !== undefined && chosen.length === 0) throw new DeskhandError('NO_DESKTOP', `no sandbox ${id} is up`, { next: 'deskhand desktop list shows them.' })
  await Promise.all(chosen.map((s) => takeDown(dir, s.record)))
  say(`${chosen.length} taken down`)
}

export async function desktopList(common: Common, options: { json?: boolean }): Promise<void> {
  const all = listSandboxes(sandboxes(common))
  if (options.json) return say(JSON.stringify(all.map(({ record, state, missing }) => ({ id: record.id, display: record.display, state, missing, createdAt: record.createdAt }))))
  if (all.length === 0) return say('no sandbox is up; bring one up with: deskhand desktop up')
  for (const { record, state, missing } of all) say(`${record.id}\t${record.display ?? '-'}\t${state}${missing.length === 0 ? '' : ` (missing: ${missing.join(', ')})`}`)
}

function pixels(text: string): number {
  const n = Number(text)
  if (!Number.isInteger(n) || n < 200 || n > 16_384) throw new DeskhandError('BAD_ARGS', `${text} is no number of pixels between 200 and 16384`)
  return n
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)

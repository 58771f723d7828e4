import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Bus, Display, hasWindowManager } from '@deskhand/driver-linux'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Keeping, keep, mend } from '../../packages/deskhand/src/desktop/keeper.ts'
import { markOf } from '../../packages/deskhand/src/desktop/environment.ts'
import { identify, isAlive } from '@deskhand/core/platform'
import { marked } from '../../packages/deskhand/src/desktop/process.ts'
import type { PartName, SandboxRecord } from '../../packages/deskhand/src/desktop/record.ts'
import { bringUp, type SandboxOptions } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { listSandboxes, reap, takeDown } from '../../packages/deskhand/src/desktop/takedown.ts'
import { describeDesktop } from '../support/desktop.ts'

let stateDir: string
let keeping: Keeping | undefined
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'dh-state-'))
})
afterEach(async () => {
  await keeping?.stop()
  keeping = undefined
  for (const { record } of listSandboxes(stateDir)) await takeDown(stateDir, record)
  rmSync(stateDir, { recursive: true, force: true })
})

async function kept(options: Partial<SandboxOptions> = {}): Promise<{ record: SandboxRecord; restarted: PartName[] }> {
  const { record } = await bringUp({ stateDir, keep: true, ...options })
  const restarted: PartName[] = []
  keeping = keep(stateDir, record, (part) => restarted.push(part))
  return { record, restarted }
}

const part = (record: SandboxRecord, name: PartName) => record.parts.find((p) => p.name === name)!
const kill = (record: SandboxRecord, name: PartName): void => void process.kill(part(record, name).pid, 'SIGKILL')
const state = () => listSandboxes(stateDir)[0]?.state
const soon = { timeout: 10_000 }

describeDesktop('a supervised sandbox', () => {
  test('gets its window manager back', async () => {
    const { record, restarted } = await kept()
    const before = part(record, 'openbox')
    kill(record, 'openbox')
    await expect.poll(() => restarted, soon).toEqual(['openbox'])
    expect(part(record, 'openbox')).not.toEqual(before)
    expect(listSandboxes(stateDir)).toMatchObject([{ state: 'up', missing: [], keeper: { pid: process.pid } }])
    const display = await Display.open(record.env)
    expect(await hasWindowManager(display)).toBe(true)
    display.close()
  })

  test.each(['accessibility', 'accessibility-bus'] as const)(
    'gets its accessibility bus back under the same address when %s is killed',
    async (name) => {
      const { record, restarted } = await kept()
      const address = record.env['AT_SPI_BUS_ADDRESS']
      const before = record.parts.filter((p) => p.name.startsWith('accessibility'))
      kill(record, name)
      await expect.poll(() => restarted, soon).toContain(name)
      await expect.poll(state, soon).toBe('up')
      expect(record.env['AT_SPI_BUS_ADDRESS']).toBe(address)
      expect(before.filter(isAlive)).toEqual([])
    },
  )

  test('gets its accessibility bus back when it is isolated, too', async () => {
    const { record, restarted } = await kept({ isolate: true })
    kill(record, 'accessibility')
    await expect.poll(() => restarted, soon).toContain('accessibility')
    await expect.poll(state, soon).toBe('up')
    const bus = await Bus.connect(record.env['AT_SPI_BUS_ADDRESS'] ?? '')
    expect(bus.name).toMatch(/^:/)
    bus.close()
  })

  test.each(['xvfb', 'bus'] as const)('is declared dead when %s is killed, and says so', async (name) => {
    const { record } = await kept()
    kill(record, name)
    expect(await keeping?.died).toMatchObject({ code: 'NO_DESKTOP', message: expect.stringContaining(`${name} ended`) })
    expect(state()).toBe('dead')
    expect(await reap(stateDir)).toEqual([record.id])
    expect(marked(markOf(record.id))).toEqual([])
  })

  test('gets back a program that failed, lets one be that ended well, and gives up one that fails again and again', async () => {
    const { record } = await kept({
      startup: [
        { line: 'sleep 1000', stays: true },
        { line: 'true', stays: true },
        { line: 'echo once more >>$HOME/tries; exit 3', stays: true },
      ],
    })
    const first = part(record, 'startup-0')
    kill(record, 'startup-0')
    await expect.poll(() => isAlive(part(record, 'startup-0')) && part(record, 'startup-0').pid !== first.pid, soon).toBe(true)
    await expect.poll(() => listSandboxes(stateDir)[0], soon).toMatchObject({ state: 'impaired', missing: ['startup-2'] })
    const { readFileSync } = await import('node:fs')
    await expect.poll(() => readFileSync(join(record.dir, 'home', 'tries'), 'utf8').split('\n').length - 1, soon).toBe(4)
  })

  test('has one supervisor only', async () => {
    const { record } = await kept()
    const other = { ...record, keeper: identify(process.ppid) }
    expect(() => keep(stateDir, other, () => {})).toThrow(expect.objectContaining({ code: 'BROKER_BUSY' }))
  })
})

describeDesktop('a sandbox that nobody supervises', () => {
  test('is told as impaired when its window manager is gone, is not reaped, and can be mended', async () => {
    const { record } = await bringUp({ stateDir, keep: true })
    kill(record, 'openbox')
    await expect.poll(state, soon).toBe('impaired')
    expect(await reap(stateDir)).toEqual([])
    expect(await mend(stateDir, listSandboxes(stateDir)[0]!.record)).toEqual(['openbox'])
    expect(state()).toBe('up')
  })
})

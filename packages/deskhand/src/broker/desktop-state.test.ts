import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { self } from '@deskhand/core/platform'
import { DesktopState } from './desktop-state.ts'

let state: string
let desktop: DesktopState
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'dh-desktop-'))
  desktop = new DesktopState(state, 'desk')
  desktop.prepare()
})
afterEach(() => rmSync(state, { recursive: true, force: true }))

test.each(['', '{', '{"pid":1}', '\u0000\u0000'])('a lock that a crash left as %j is taken over', async (left) => {
  writeFileSync(join(desktop.dir, 'lock'), left)
  const unlock = await desktop.lock()
  expect(desktop.holder()).toMatchObject({ pid: process.pid })
  await expect(desktop.lock()).rejects.toMatchObject({ code: 'BROKER_BUSY' })
  unlock()
  expect(readdirSync(desktop.dir).filter((f) => f.includes('lock'))).toEqual([])
})

test('the living broker of an earlier version is respected', async () => {
  writeFileSync(join(desktop.dir, 'lock'), JSON.stringify(self()))
  expect(desktop.holder()).toEqual(self())
  await expect(desktop.lock()).rejects.toMatchObject({ code: 'BROKER_BUSY', message: expect.stringContaining(String(process.pid)) })
})

test('of many that want a desktop at once exactly one gets it', async () => {
  const tries = await Promise.allSettled(Array.from({ length: 8 }, () => desktop.lock()))
  expect(tries.filter((t) => t.status === 'fulfilled')).toHaveLength(1)
})

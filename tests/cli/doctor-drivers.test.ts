import { resolve } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { World } from '../support/cli.ts'

const ODD = resolve(import.meta.dirname, '../fixtures/odd-driver.mjs')
const world = new World()
afterEach(() => world.end())

test('doctor lists the drivers that were added, with what they can do or why they do not answer', async () => {
  const env = `{ ODD_MODE = "${world.file('mode', 'good')}", ODD_STARTS = "${world.file('starts', '')}" }`
  world.file(
    'deskhand.toml',
    `[[drivers]]\nname = "odd"\nrisk = "high"\nmcp = { command = ["${process.execPath}", "${ODD}"], env = ${env} }\n
[[drivers]]\nname = "gone"\nmcp = { command = ["${process.execPath}", "-e", "process.exit(7)"] }\n`,
  )
  const { out, code } = await world.run(['doctor', '--json'])
  expect(code).toBe(0)
  const checks = JSON.parse(out) as { what: string; ok: boolean; detail: string; fix?: string }[]
  const about = (what: string) => checks.find((check) => check.what === what)
  expect(about('driver odd')).toMatchObject({ ok: true })
  expect(about('driver odd')?.detail).toMatch(/odd: risk at least high; .*press/)
  expect(about('driver gone')).toMatchObject({ ok: false, fix: expect.stringContaining('deskhand driver check -- ') as string })
  expect(about('driver gone')?.detail).toContain('exited with code 7')
}, 60_000)

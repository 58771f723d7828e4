import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadConfig } from '../config.ts'
import { DesktopPolicy } from './policy.ts'

let dir: string
let policy: DesktopPolicy
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'dh-policy-'))
  policy = new DesktopPolicy({ ...loadConfig({ env: { HOME: dir } }), state: dir }, [], join(dir, 'rules.toml'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

test('who is told that rules were saved, and reads them, reads those', async () => {
  let read: Promise<string> | undefined
  await policy.save('# mine\n', policy.current.version, async () => {
    read = policy.settled().then(() => policy.saved)
  })
  expect(await read).toBe('# mine\n')
  expect(readFileSync(join(dir, 'rules.toml'), 'utf8')).toBe('# mine\n')
})

test('of two that save at once upon the same rules, the second is refused', async () => {
  const { version } = policy.current
  const rule = '[[rule]]\ntoolName = "ui.click"\ndecision = "deny"\npriority = 1\n'
  const [first, second] = await Promise.allSettled([policy.save(rule, version, async () => {}), policy.save('', version, async () => {})])
  expect([first.status, second]).toMatchObject(['fulfilled', { reason: { code: 'BAD_POLICY' } }])
  expect(policy.saved).toBe(rule)
})

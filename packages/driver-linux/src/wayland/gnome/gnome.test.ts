import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { extensionFor } from './extension.ts'
import { keyboardGap } from './layout.ts'
import { keepToken, keptToken } from './token.ts'

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'dh-gnome-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

test.each([
  [43, 'extension.js', 'const { Gio, GLib, Meta, St, Clutter } = imports.gi'],
  [50, 'extension.mjs', "import Gio from 'gi://Gio'"],
])('the extension for GNOME %d is a program of the kind that it loads, and answers to one executable', (version, name, first) => {
  const files = extensionFor(version, '/opt/node "20"/node')
  expect(files['extension.js']?.startsWith(first)).toBe(true)
  expect(files['extension.js']).toContain('const ALLOWED = "/opt/node \\"20\\"/node"')
  expect((JSON.parse(files['metadata.json'] ?? '') as { 'shell-version': string[] })['shell-version']).toContain(String(version))
  const file = join(folder(), name)
  writeFileSync(file, files['extension.js'] ?? '')
  execFileSync(process.execPath, ['--check', file])
})

test('an answer that a person lets hold is kept where only they can read it, for the next time', () => {
  const env = { XDG_STATE_HOME: folder() }
  expect(keptToken(env)).toBeUndefined()
  keepToken(env, 'first')
  keepToken(env, 'second')
  expect(keptToken(env)).toBe('second')
  expect(statSync(join(env.XDG_STATE_HOME, 'deskhand', 'portal-token')).mode & 0o777).toBe(0o600)
})

test('keys are known of the US layout alone, and another one is named', () => {
  expect(keyboardGap('us')).toBeUndefined()
  expect(keyboardGap('de+nodeadkeys')).toMatchObject({ ok: false, reason: expect.stringContaining('de+nodeadkeys') as string })
})

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Device } from '../device.ts'
import { WaylandInput } from '../input.ts'
import { PersonsKeyboard } from '../persons-keyboard.ts'
import { extensionFor } from './extension.ts'
import { Frames } from './frames.ts'
import { keyboardGap } from './layout.ts'
import { PipeWireScreen } from './screen.ts'
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
  const files = extensionFor(version, '/opt/node "20" $&/node')
  expect(files['extension.js']?.startsWith(first)).toBe(true)
  expect(files['extension.js']).toContain('const ALLOWED = "/opt/node \\"20\\" $&/node"')
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

test('a layout that the person changes later keeps keys from being struck, and what is held is let go', async () => {
  let source = 'us'
  let seen = ''
  const keymap = new PersonsKeyboard('Paste it.', {
    look: async () => (seen = source),
    gap: () => keyboardGap(seen),
    takesOthers: () => false,
  })
  const key = vi.fn<Device['key']>()
  const nothing = (): void => {}
  const device: Device = { keymap, capsLock: false, move: nothing, button: nothing, notch: nothing, key, modify: nothing }
  const input = await WaylandInput.open({ isOpen: true, sync: async () => {} }, device, () => ({ x: 0, y: 0, w: 10, h: 10 }))
  await input.keyDown('z')
  expect(key).toHaveBeenCalledTimes(1)

  source = 'de'
  await input.keymap.load()
  await expect(input.keyDown('y')).rejects.toMatchObject({ code: 'NOT_CAPABLE', message: expect.stringContaining('de') as string })
  expect(() => keymap.borrow(['a'.codePointAt(0)!])).toThrow('de')
  await input.releaseAll()
  expect(key.mock.calls.map(([, isDown]) => isDown)).toEqual([true, false])

  source = 'us'
  await input.keymap.load()
  await input.tap('y')
  expect(key).toHaveBeenCalledTimes(4)
})

test('a frame that stalls in the middle is told as late, and the one behind it begins where it begins', async () => {
  const stream = new PassThrough()
  const frames = new Frames(stream, 4)
  stream.write(Buffer.from([1, 1]))
  expect(await frames.next(1)).toBe('late')
  stream.write(Buffer.from([1, 1, 2, 2, 2, 2, 3]))
  expect(await frames.next(60_000)).toEqual(Buffer.from([1, 1, 1, 1]))
  expect(await frames.next(60_000)).toEqual(Buffer.from([2, 2, 2, 2]))
  const last = frames.next(60_000)
  await turn()
  stream.end()
  expect(await last).toBe('ended')
  expect(await frames.next(60_000)).toBe('ended')
})

test('waiting for frames leaves no listeners behind', async () => {
  const stream = new PassThrough()
  const frames = new Frames(stream, 20)
  const before = stream.listenerCount('close')
  const next = frames.next(60_000)
  for (let i = 0; i < 20; i++) {
    stream.write(Buffer.from([i]))
    await turn()
  }
  expect(await next).toHaveLength(20)
  expect([stream.listenerCount('readable'), stream.listenerCount('close')]).toEqual([0, before])
})

test('where the program that reads frames cannot be run, pictures are told as missing, and nothing else ends', async () => {
  const bounds = { x: 0, y: 0, w: 8, h: 8 }
  const output = { bounds, pixels: { w: 8, h: 8 } } as Parameters<typeof PipeWireScreen.open>[1]['all'][number]
  const opening = PipeWireScreen.open({ node: 1, bounds }, { all: [output] }, { PATH: folder() })
  await expect(opening).rejects.toMatchObject({ code: 'NOT_CAPABLE', message: expect.stringContaining('ENOENT') as string })
})

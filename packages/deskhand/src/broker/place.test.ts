import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Place } from './place.ts'

let state: string
let place: Place
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'dh-place-'))
  place = new Place(state, 'desk')
  place.prepare()
})
afterEach(() => rmSync(state, { recursive: true, force: true }))

test.each(['', '{', '{"pid":1}', '\u0000\u0000'])('a lock that a crash left as %j is taken over', (left) => {
  writeFileSync(join(place.dir, 'lock'), left)
  const unlock = place.lock()
  expect(place.holder()).toMatchObject({ pid: process.pid })
  expect(() => place.lock()).toThrow(expect.objectContaining({ code: 'BROKER_BUSY' }))
  unlock()
  expect(readdirSync(place.dir).filter((f) => f.startsWith('lock'))).toEqual([])
})

test('an empty token, left by a crash, makes nobody an operator and is made anew', () => {
  writeFileSync(place.tokenFile('operator'), '')
  for (const guess of ['', '\n', ' ', 'short']) expect(place.principal(guess)).toBeUndefined()
  place.prepare()
  expect(place.principal(place.token('operator'))).toEqual({ id: 'operator', role: 'operator' })
  expect(statSync(place.tokenFile('operator')).mode & 0o777).toBe(0o600)
})

test('a good token is kept over restarts', () => {
  const before = readFileSync(place.tokenFile('agent'), 'utf8')
  place.prepare()
  expect(readFileSync(place.tokenFile('agent'), 'utf8')).toBe(before)
})

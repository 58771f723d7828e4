import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { TokenFiles } from './token-files.ts'

let tokens: TokenFiles
beforeEach(() => {
  tokens = new TokenFiles(mkdtempSync(join(tmpdir(), 'dh-tokens-')))
})
afterEach(() => rmSync(tokens.dir, { recursive: true, force: true }))

const TOKEN = 'x'.repeat(43)
const write = (name: string, text: string): void => writeFileSync(join(tokens.dir, name), text)

test.each([
  ['agent', 'agent'],
  ['alice', 'agent'],
  ['screen', 'viewer'],
  ['operator', 'operator'],
  ['deputy', 'operator'],
] as const)('the token of %s makes its holder that %s', (id, role) => {
  tokens.add(id, role)
  expect(tokens.principal(tokens.read(id))).toEqual({ id, role })
  expect(statSync(tokens.file(id)).mode & 0o777).toBe(0o600)
})

test('a file without a role makes operator the operator and any other id an agent, and is written so where that is meant', () => {
  tokens.add('agent', 'agent')
  tokens.add('operator', 'operator')
  for (const id of ['agent', 'operator']) expect(readFileSync(tokens.file(id), 'utf8')).toMatch(/^[\w-]{43}\n$/)
  write('alice', `${TOKEN}\n`)
  expect(tokens.principal(TOKEN)).toEqual({ id: 'alice', role: 'agent' })
})

test('an empty token, left by a crash, makes no client an operator and is made anew', () => {
  write('operator', '')
  for (const guess of ['', '\n', ' ', 'short']) expect(tokens.principal(guess)).toBeUndefined()
  expect(() => tokens.read('operator')).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }))
  tokens.add('operator', 'operator')
  expect(tokens.principal(tokens.read('operator'))).toEqual({ id: 'operator', role: 'operator' })
})

test('a good token is kept when it is added again, and not turned into one of another role', () => {
  tokens.add('screen', 'viewer')
  const before = tokens.read('screen')
  tokens.add('screen', 'viewer')
  expect(tokens.read('screen')).toBe(before)
  expect(() => tokens.add('screen', 'operator')).toThrow(expect.objectContaining({ code: 'BAD_ARGS' }))
})

test('a token that stands in several files gives the least of their roles', () => {
  write('operator', `${TOKEN}\n`)
  write('alice', `${TOKEN}\nagent\n`)
  expect(tokens.principal(TOKEN)).toEqual({ id: 'alice', role: 'agent' })
  write('screen', `${TOKEN}\nviewer\n`)
  expect(tokens.principal(TOKEN)).toEqual({ id: 'screen', role: 'viewer' })
})

test('a role that is not known gives nothing, and leaves the other tokens valid', () => {
  write('later', `${TOKEN}\nauditor\n`)
  write('.later.swp', '')
  expect(() => tokens.add('later', 'agent')).toThrow(expect.objectContaining({ code: 'BAD_ARGS' }))
  tokens.add('agent', 'agent')
  expect(tokens.principal(TOKEN)).toBeUndefined()
  expect(tokens.principal(tokens.read('agent'))).toEqual({ id: 'agent', role: 'agent' })
})

test('a name that leads out of the folder is refused', () => {
  for (const id of ['../operator', 'a/b', '', '.', 'x'.repeat(61)])
    expect(() => tokens.read(id)).toThrow(expect.objectContaining({ code: 'BAD_ARGS' }))
})

test.runIf(process.getuid?.() !== 0)('a token that cannot be read is told by name, not by content', () => {
  tokens.add('operator', 'operator')
  chmodSync(tokens.file('operator'), 0)
  expect(() => tokens.read('operator')).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }))
})

test('of a token that was issued only the digest is kept, it counts until another one is issued, and the digest itself is no token', () => {
  const first = tokens.issue('remote', 'viewer')
  expect(tokens.principal(first)).toEqual({ id: 'remote', role: 'viewer' })
  const kept = readFileSync(tokens.file('remote'), 'utf8')
  expect(kept).not.toContain(first)
  expect(tokens.principal(kept.split('\n')[0] ?? '')).toBeUndefined()
  expect(() => tokens.read('remote')).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }))
  const second = tokens.issue('remote', 'viewer')
  expect([tokens.principal(first), tokens.principal(second)]).toEqual([undefined, { id: 'remote', role: 'viewer' }])
  expect(tokens.list()).toEqual([{ id: 'remote', role: 'viewer', isLocal: false }])
  expect([tokens.remove('remote'), tokens.remove('remote'), tokens.principal(second)]).toEqual([true, false, undefined])
})

test('the tokens of this machine’s own commands are not issued to others', () => {
  tokens.add('operator', 'operator')
  expect(() => tokens.issue('operator', 'operator')).toThrow(expect.objectContaining({ code: 'BAD_ARGS' }))
})

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
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
] as const)('the token of %s makes its holder that %s, and stands in no file', (id, role) => {
  const token = tokens.issue(id, role)
  expect(tokens.principal(token)).toEqual({ id, role })
  expect(statSync(tokens.file(id)).mode & 0o777).toBe(0o600)
  expect(readdirSync(tokens.dir)).toEqual([id])
  expect(readFileSync(tokens.file(id), 'utf8')).not.toContain(token)
})

test('a token that an earlier version kept as it is stays good when its digest takes its place', () => {
  const held = ['operator', 'alice', 'screen'].map((id) => [id, id.padEnd(43, 'x')] as const)
  for (const [id, token] of held) write(id, `${token}\n${id === 'screen' ? 'viewer\n' : ''}`)
  const known = (): unknown[] => held.map(([, token]) => tokens.principal(token))
  const before = known()
  tokens.hash()
  expect(known()).toEqual(before)
  expect(before).toEqual([
    { id: 'operator', role: 'operator' },
    { id: 'alice', role: 'agent' },
    { id: 'screen', role: 'viewer' },
  ])
  for (const [id, token] of held) expect(readFileSync(tokens.file(id), 'utf8')).not.toContain(token)
})

test('an empty token, left by a crash, makes no client an operator and is made anew', () => {
  write('operator', '')
  for (const guess of ['', '\n', ' ', 'short']) expect(tokens.principal(guess)).toBeUndefined()
  expect(tokens.principal(tokens.issue('operator', 'operator'))).toEqual({ id: 'operator', role: 'operator' })
})

test('programs of the owner are who they say: one of the two that need no token, or one whose token is kept', () => {
  tokens.issue('screen', 'viewer')
  expect(['agent', 'operator', 'screen', 'alice', 'constructor'].map((id) => tokens.local(id)?.role)).toEqual([
    'agent',
    'operator',
    'viewer',
    undefined,
    undefined,
  ])
})

test('a token that stands in several files gives the least of their roles', () => {
  write('operator', `${TOKEN}\n`)
  write('alice', `${TOKEN}\nagent\n`)
  expect(tokens.principal(TOKEN)).toEqual({ id: 'alice', role: 'agent' })
  write('screen', `${TOKEN}\nviewer\n`)
  expect(tokens.principal(TOKEN)).toEqual({ id: 'screen', role: 'viewer' })
})

test('a role that is not known gives nothing, is kept as it is, and leaves the other tokens valid', () => {
  write('later', `${TOKEN}\nauditor\n`)
  write('.later.swp', '')
  tokens.hash()
  const agent = tokens.issue('agent', 'agent')
  expect(tokens.principal(TOKEN)).toBeUndefined()
  expect(readFileSync(tokens.file('later'), 'utf8')).toContain('auditor')
  expect(tokens.principal(agent)).toEqual({ id: 'agent', role: 'agent' })
})

test('a name that leads out of the folder is refused', () => {
  for (const id of ['../operator', 'a/b', '', '.', 'x'.repeat(61)])
    expect(() => tokens.issue(id, 'agent')).toThrow(expect.objectContaining({ code: 'BAD_ARGS' }))
})

test('a token counts until another one is issued, and its digest is no token', () => {
  const first = tokens.issue('remote', 'viewer')
  expect(tokens.principal(first)).toEqual({ id: 'remote', role: 'viewer' })
  const kept = readFileSync(tokens.file('remote'), 'utf8')
  expect(tokens.principal(kept.split('\n')[0] ?? '')).toBeUndefined()
  const second = tokens.issue('remote', 'viewer')
  expect([tokens.principal(first), tokens.principal(second)]).toEqual([undefined, { id: 'remote', role: 'viewer' }])
  expect(tokens.list()).toEqual([{ id: 'remote', role: 'viewer' }])
  expect([tokens.remove('remote'), tokens.remove('remote'), tokens.principal(second)]).toEqual([true, false, undefined])
})

test('the operator’s name makes nothing less, and the agent’s nothing more', () => {
  expect(() => tokens.issue('operator', 'viewer')).toThrow(expect.objectContaining({ code: 'BAD_ARGS' }))
  expect(() => tokens.issue('agent', 'operator')).toThrow(expect.objectContaining({ code: 'BAD_ARGS' }))
})

test.runIf(process.platform === 'linux')('a token is not unknown for a fault of the system while its file is read', () => {
  const token = tokens.issue('alice', 'agent')
  rmSync(tokens.file('alice'))
  // It can be opened, and reading it from its beginning is EIO.
  symlinkSync('/proc/self/mem', tokens.file('alice'))
  expect(() => tokens.principal(token)).toThrow('EIO')
  rmSync(tokens.file('alice'))
  symlinkSync(tokens.file('alice'), tokens.file('alice'))
  expect(tokens.principal(token)).toBeUndefined()
})

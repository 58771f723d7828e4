import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { lendFolder } from './lender.ts'

/** Anything that a compromised cell might send. */
let base: string
let root: string
let cell: Socket
let lending: Promise<void>

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'deskhand-lender-')))
  root = join(base, 'root')
  await mkdir(join(root, '.deskhand'), { recursive: true })
  await mkdir(join(base, 'root-twin'))
  for (const file of ['root/a.txt', 'root/.deskhand/token', 'root-twin/b.txt', 'outside.txt']) await writeFile(join(base, file), 'content')
  await symlink('../outside.txt', join(root, 'leak'))
  await symlink('.deskhand', join(root, 'state'))
  execFileSync('mkfifo', [join(root, 'pipe')])
})
afterAll(() => rm(base, { recursive: true }))

beforeEach(async () => {
  const server = createServer((socket) => {
    lending = lendFolder(socket, () => ({ root, hidden: [join(root, '.deskhand')] }))
    server.close()
  }).listen(join(base, 'socket'))
  await once(server, 'listening')
  cell = connect(join(base, 'socket'))
  await once(cell, 'connect')
})
afterEach(async () => {
  cell.destroy()
  await lending
})

async function ask(question: unknown): Promise<unknown> {
  return askRaw(`${JSON.stringify(question)}\n`)
}

async function askRaw(line: string): Promise<unknown> {
  cell.write(line)
  let bytes = Buffer.alloc(0)
  while (bytes.length < 5 || bytes.length < 5 + bytes.readUInt32LE(0)) bytes = Buffer.concat([bytes, (await once(cell, 'data'))[0]])
  const body = bytes.subarray(5).toString()
  return bytes[4] === 1 ? JSON.parse(body) : bytes[4] === 0 ? `refused: ${body}` : body
}

test('a file is opened, read in parts and closed', async () => {
  expect(await ask(['stat', 'a.txt'])).toMatchObject({ folder: false, size: 7 })
  const id = await ask(['open', 'a.txt'])
  expect(await ask(['read', id, 3, 100])).toBe('tent')
  expect(await ask(['close', id])).toBe(true)
  expect(await ask(['read', id, 0, 1])).toBe('refused: EBADF')
  expect(await ask(['list', ''])).toEqual(['a.txt'])
})

test.each([
  '../outside.txt',
  '../root-twin/b.txt',
  '/../outside.txt',
  'leak',
  '.deskhand',
  '.deskhand/token',
  'state',
  'state/token',
  'pipe',
  'a.txt/..',
  '..',
  'nothing',
  'a\0b',
  '',
])('%j cannot be opened', async (path) => {
  expect(await ask(['open', path])).toMatch(/^refused: /)
})

test.each(['../outside.txt', 'leak', 'state', 'pipe', '..', '../root-twin'])('%j is not even known', async (path) => {
  expect(await ask(['stat', path])).toBe('refused: ENOENT')
})

test.each([
  'not json',
  '[]',
  '["write","a.txt","x"]',
  '["read",1]',
  '["read",-1,-1,-1]',
  '{"stat":"a.txt"}',
  '["stat",{"toString":1}]',
  '["close",99]',
  '',
])('nonsense is refused and the next question answered: %s', async (line) => {
  expect(await askRaw(`${line}\n`)).toMatch(/^refused: /)
  expect(await ask(['list', ''])).toEqual(['a.txt'])
})

test('a line without an end is cut off', async () => {
  const closed = new Promise((resolve) => cell.once('close', resolve))
  cell.on('error', () => {}).resume()
  cell.write('x'.repeat(200_000))
  await closed
})

test('only so many files are open at once, and all are closed with the cell', async () => {
  for (let i = 0; i < 256; i++) expect(await ask(['open', 'a.txt'])).toBe(i + 1)
  expect(await ask(['open', 'a.txt'])).toBe('refused: EMFILE')
  expect(openHere()).toBe(256)
  cell.destroy()
  await lending
  expect(openHere()).toBe(0)
})

function openHere(): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === join(root, 'a.txt')
    } catch {
      return false
    }
  }).length
}

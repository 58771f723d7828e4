import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkEvidence, evidenceKey, openEvidence } from './evidence.ts'

const key = Buffer.alloc(32, 3)
let dir: string
const blobs = (): string => join(dir, 'evidence')
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'dh-evidence-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

test('any bytes come back as they were, and the same picture is kept once', async () => {
  const store = openEvidence(dir, key)
  await fc.assert(
    fc.asyncProperty(fc.uint8Array(), async (bytes) => {
      const id = await store.keep(bytes, 'encrypted')
      expect(await store.keep(bytes, 'encrypted')).toBe(id)
      expect(new Uint8Array(await store.read(id))).toEqual(bytes)
      expect(await checkEvidence(dir, id)).toBe('ok')
    }),
    { numRuns: 30 },
  )
})

test('what lies on the disk shows nothing of it', async () => {
  const id = await openEvidence(dir, key).keep(Buffer.from('canary canary canary'), 'encrypted')
  const [file] = readdirSync(blobs())
  expect(id).toBe(`enc:${file}`)
  expect(readFileSync(join(blobs(), file!)).includes('canary')).toBe(false)
})

test('a hash keeps no bytes and needs no key', async () => {
  const store = openEvidence(dir)
  const id = await store.keep(Buffer.from('abc'), 'hash')
  expect(id).toBe('sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  expect(readdirSync(dir)).toEqual([])
  expect(await checkEvidence(dir, id)).toBe('hash_only')
  await expect(store.read(id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(store.keep(Buffer.from('abc'), 'encrypted')).rejects.toMatchObject({ code: 'BAD_CONFIG' })
})

test('a changed, missing or foreign file is told by name', async () => {
  const id = await openEvidence(dir, key).keep(Buffer.from('abc'), 'encrypted')
  await expect(openEvidence(dir, Buffer.alloc(32)).read(id)).rejects.toMatchObject({ code: 'BAD_CONFIG' })
  const file = join(blobs(), readdirSync(blobs())[0]!)
  writeFileSync(file, 'other')
  expect(await checkEvidence(dir, id)).toBe('changed')
  await expect(openEvidence(dir, key).read(id)).rejects.toMatchObject({ code: 'JOURNAL_BROKEN' })
  rmSync(file)
  expect(await checkEvidence(dir, id)).toBe('missing')
  await expect(openEvidence(dir, key).read(id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('an id cannot lead out of the folder', async () => {
  await expect(openEvidence(dir, key).read('enc:../../etc/passwd')).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('the key comes from an owner-only file or the environment, as hex or base64', async () => {
  const file = join(dir, 'key')
  writeFileSync(file, `${key.toString('hex')}\n`, { mode: 0o600 })
  expect(await evidenceKey({ file })).toEqual(key)
  expect(await evidenceKey({ env: 'KEY' }, { KEY: key.toString('base64') })).toEqual(key)
  await expect(evidenceKey({ env: 'KEY' }, {})).rejects.toMatchObject({ code: 'BAD_CONFIG' })
  await expect(evidenceKey({ env: 'KEY' }, { KEY: 'too short' })).rejects.toMatchObject({
    code: 'BAD_CONFIG',
    message: expect.not.stringContaining('too short'),
  })
  await expect(evidenceKey({ file: join(dir, 'none') })).rejects.toMatchObject({ code: 'BAD_CONFIG' })
  chmodSync(file, 0o640)
  await expect(evidenceKey({ file })).rejects.toMatchObject({ code: 'BAD_CONFIG' })
})

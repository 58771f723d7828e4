import { createCipheriv, createDecipheriv, createHash, createHmac, hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DeskhandError } from '../errors.ts'
import { createWhole, hasCode, makeFolder, parseSecret, readOwnerOnly } from '../platform/index.ts'

/** Evidence by content: `sha256:…` names bytes that were not kept, `enc:…` an encrypted file by the hash of its bytes. */
export interface EvidenceStore {
  keep(bytes: Uint8Array, mode: 'hash' | 'encrypted'): Promise<string>
  /** The bytes behind an `enc:` id, after checking that they are the recorded ones. */
  read(id: string): Promise<Buffer>
}

/** The store of the journal in this folder. Without a key only hashes can be kept. */
export function openEvidence(journalDir: string, key?: Buffer): EvidenceStore {
  const dir = blobs(journalDir)
  const need = (): Buffer => {
    if (key !== undefined) return key
    throw new DeskhandError('BAD_CONFIG', 'Encrypted evidence needs a key.', {
      next: 'Name a key file or an environment variable that holds one.',
    })
  }
  return {
    async keep(bytes, mode) {
      if (mode === 'hash') return `sha256:${hash('sha256', bytes)}`
      const sealed = encrypt(bytes, need())
      const name = hash('sha256', sealed)
      makeFolder(dir)
      await createWhole(join(dir, name), sealed)
      return `enc:${name}`
    },
    async read(id) {
      const name = nameOf(id)
      if (name === undefined) throw new DeskhandError('NOT_FOUND', `${id} was recorded as a hash; its bytes were not kept.`)
      const sealed = await readFile(join(dir, name)).catch((error: unknown) => {
        throw hasCode(error, 'ENOENT') ? new DeskhandError('NOT_FOUND', `The evidence ${id} is gone.`) : error
      })
      if (hash('sha256', sealed) !== name) throw new DeskhandError('JOURNAL_BROKEN', `The evidence ${id} was changed.`)
      return decrypt(sealed, need(), id)
    },
  }
}

/** Compares a kept file with the hash that the journal recorded; needs no key. */
export async function checkEvidence(journalDir: string, id: string): Promise<'ok' | 'hash_only' | 'missing' | 'changed'> {
  const name = nameOf(id)
  if (name === undefined) return 'hash_only'
  const sum = createHash('sha256')
  try {
    for await (const chunk of createReadStream(join(blobs(journalDir), name))) sum.update(chunk)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 'missing'
    throw error
  }
  return sum.digest('hex') === name ? 'ok' : 'changed'
}

/** The key from an owner-only file or from a variable of the environment; never from the command line. */
export async function evidenceKey(from: { file: string } | { env: string }, env: NodeJS.ProcessEnv = process.env): Promise<Buffer> {
  const source = 'file' in from ? from.file : from.env
  const text = 'file' in from ? await readOwnerOnly(from.file).catch(noneIfMissing) : env[from.env]
  if (text === undefined)
    throw new DeskhandError('BAD_CONFIG', `There is no evidence key in ${source}.`, { next: 'Make one with: openssl rand -hex 32' })
  return parseSecret(text, source)
}

function noneIfMissing(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error
}

const MAGIC = Buffer.from('DHE1')
const NONCE = 12
const TAG = 16

const blobs = (journalDir: string): string => join(journalDir, 'evidence')

const nameOf = (id: string): string | undefined => /^enc:([0-9a-f]{64})$/.exec(id)?.[1]

/** The nonce is derived from key and content: the same picture is kept once, and no nonce serves two pictures. */
function encrypt(bytes: Uint8Array, key: Buffer): Buffer {
  const nonce = createHmac('sha256', key).update('deskhand evidence nonce').update(bytes).digest().subarray(0, NONCE)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(MAGIC)
  return Buffer.concat([MAGIC, nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
}

function decrypt(sealed: Buffer, key: Buffer, id: string): Buffer {
  const head = MAGIC.length + NONCE
  try {
    if (!sealed.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error('not an evidence file')
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(MAGIC.length, head), { authTagLength: TAG }).setAAD(MAGIC)
    decipher.setAuthTag(sealed.subarray(-TAG))
    return Buffer.concat([decipher.update(sealed.subarray(head, -TAG)), decipher.final()])
  } catch (cause) {
    throw new DeskhandError('BAD_CONFIG', `The evidence ${id} cannot be opened with this key.`, {
      cause,
      next: 'Use the key it was kept with.',
    })
  }
}

import { randomBytes } from 'node:crypto'
import { DeskhandError } from '../errors.ts'
import { readOrMake } from './owner-files.ts'

/** 32 secret bytes in an owner-only file, made on first use. */
export async function loadSecret(file: string): Promise<Buffer> {
  return parseSecret(await readOrMake(file, () => `${randomBytes(32).toString('hex')}\n`), file)
}

/** 32 bytes written as hex or base64; anything else is an error that names the source, never the text. */
export function parseSecret(text: string, source: string): Buffer {
  const plain = text.trim()
  const bytes = /^[0-9a-f]{64}$/i.test(plain) ? Buffer.from(plain, 'hex') : Buffer.from(plain, 'base64')
  if (bytes.length !== 32) {
    throw new DeskhandError('BAD_CONFIG', `${source} does not hold a key of 32 bytes.`, { next: 'Make one with: openssl rand -hex 32' })
  }
  return bytes
}

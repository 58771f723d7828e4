import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import { desktopFile, loadSecret, makeKeyFolder } from '../platform/index.ts'

/** Stands for a text that is not kept. A reader without the key, which lies outside the journal, cannot test guesses. */
export interface Commitment {
  redacted: true
  /** In characters as people count them, more or less: code points. */
  length: number
  salt: string
  hmac: string
}

/** The key of one desktop's commitments, made on first use, outside the journal's folder. */
export async function loadCommitmentKey(keyDir: string, desktop: string): Promise<Buffer> {
  makeKeyFolder(keyDir)
  return loadSecret(join(keyDir, `${desktopFile(desktop)}.secret`))
}

export function commitTo(key: Buffer, field: string, text: string): Commitment {
  const salt = randomBytes(16).toString('base64url')
  return { redacted: true, length: [...text].length, salt, hmac: mac(key, salt, field, text).toString('base64url') }
}

/** Whether this text is the one committed to; only the holder of the key can tell. */
export function opens(key: Buffer, commitment: Commitment, field: string, text: string): boolean {
  const claimed = Buffer.from(commitment.hmac, 'base64url')
  const right = mac(key, commitment.salt, field, text)
  return claimed.length === right.length && timingSafeEqual(claimed, right)
}

/** Tells a value from another one for the holder of the key; the order of an object's fields changes nothing. */
export const digestOf = (key: Buffer, value: unknown): string =>
  createHmac('sha256', key)
    .update(JSON.stringify(['digest', value], sorted))
    .digest('base64url')

function sorted(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

const mac = (key: Buffer, salt: string, field: string, text: string): Buffer =>
  createHmac('sha256', key)
    .update(JSON.stringify([salt, field, text]))
    .digest()
